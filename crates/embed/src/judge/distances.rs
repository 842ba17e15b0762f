//! The buckets of distances between positions, as MPNet has them.

/// The buckets of the distances of either sign.
const SIGN_BUCKETS: usize = 16;

/// All buckets.
pub(super) const BUCKETS: usize = 2 * SIGN_BUCKETS;

/// Distances below this have a bucket each. Two further buckets share each doubling of it.
const EXACT_DISTANCES: usize = 8;

/// Returns the bucket of a key that is so many positions before its query, or after it.
fn bucket(distance: usize, is_after: bool) -> usize {
    let of_sign = if distance < EXACT_DISTANCES {
        distance
    } else {
        // The bounds are the powers of the root of two; their squares are whole.
        let square = distance * distance / (EXACT_DISTANCES * EXACT_DISTANCES);
        (EXACT_DISTANCES + square.ilog2() as usize).min(SIGN_BUCKETS - 1)
    };
    if is_after { SIGN_BUCKETS + of_sign } else { of_sign }
}

/// Returns the bias of each head for the distances up to `reach` of either sign: keys before the query, the nearest last, the
/// query itself and the keys after it.
pub(super) fn biases(
    heads: &[usize],
    reach: usize,
    of_bucket: impl Fn(usize, usize) -> f32,
) -> Vec<f32> {
    let mut biases = Vec::with_capacity(heads.len() * 2 * reach);
    for head in heads {
        biases.extend((1..=reach).rev().map(|distance| of_bucket(bucket(distance, false), *head)));
        biases.extend((0..reach).map(|distance| of_bucket(bucket(distance, distance > 0), *head)));
    }
    biases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_widen_with_the_distance() {
        let distances = [0, 1, 7, 8, 11, 12, 15, 16, 22, 23, 31, 32, 45, 46, 63, 64, 90, 91, 127];
        let buckets = [0, 1, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15];
        for (distance, expected) in distances.into_iter().zip(buckets) {
            assert_eq!(bucket(distance, false), expected, "{distance}");
            assert_eq!(bucket(distance, true), expected + 16, "{distance}");
        }
    }

    #[test]
    fn biases_are_ordered_by_the_position_of_the_key() {
        let found = biases(&[3, 1], 16, |bucket, head| (bucket * 10 + head) as f32);
        assert_eq!(found.len(), 64);
        // The query itself, the key before it and the key after it.
        assert_eq!(found[16], 3.0);
        assert_eq!(found[15], 13.0);
        assert_eq!(found[17], 173.0);
        assert_eq!(found[0], 103.0);
        assert_eq!(found[32 + 14], 21.0);
    }
}
