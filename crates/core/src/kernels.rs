//! The loops over vectors. This is the only place that knows the processor;
//! every processor can run the plain form, and all forms give the same numbers.

/// Calls the best form of a loop that this processor can run.
macro_rules! best_form {
    ($plain:ident($($argument:expr),*)) => {{
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx2,popcnt")]
            fn wide(arguments: Arguments<'_>) -> Answer {
                $plain(arguments)
            }
            if std::arch::is_x86_feature_detected!("avx2")
                && std::arch::is_x86_feature_detected!("popcnt")
            {
                // SAFETY: the processor has just been asked for what the form needs.
                return unsafe { wide(($($argument),*)) };
            }
        }
        $plain(($($argument),*))
    }};
}

/// Writes how many bits of each row differ from those of a query; at most 255 is written.
pub fn distances(rows: &[u8], query: &[u8], found: &mut Vec<u8>) {
    type Arguments<'a> = (&'a [u8], &'a [u8], &'a mut Vec<u8>);
    type Answer = ();
    #[inline(always)]
    fn plain((rows, query, found): Arguments<'_>) -> Answer {
        match <&[u8; 32]>::try_from(query) {
            // The usual width has no loop within the loop.
            Ok(query) => {
                found.extend(rows.as_chunks::<32>().0.iter().map(|row| differing(row, query)));
            }
            Err(_) => {
                found
                    .extend(rows.chunks_exact(query.len().max(1)).map(|row| differing(row, query)));
            }
        }
    }
    best_form!(plain(rows, query, found));
}

#[inline(always)]
fn differing(row: &[u8], query: &[u8]) -> u8 {
    let pairs = row.as_chunks::<8>().0.iter().zip(query.as_chunks::<8>().0);
    let bits: u32 =
        pairs.map(|(a, b)| (u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b)).count_ones()).sum();
    bits.min(255) as u8
}

/// Multiplies two rows of small numbers.
pub fn product(a: &[u8], b: &[u8]) -> i32 {
    type Arguments<'a> = (&'a [u8], &'a [u8]);
    type Answer = i32;
    #[inline(always)]
    fn plain((a, b): Arguments<'_>) -> Answer {
        let pairs = a.iter().zip(b);
        pairs.map(|(a, b)| i32::from(a.cast_signed()) * i32::from(b.cast_signed())).sum()
    }
    best_form!(plain(a, b))
}

/// Adds a row of small numbers, each times a scale, to a sum.
pub fn add_scaled(sum: &mut [f32], row: &[u8], scale: f32) {
    type Arguments<'a> = (&'a mut [f32], &'a [u8], f32);
    type Answer = ();
    #[inline(always)]
    fn plain((sum, row, scale): Arguments<'_>) -> Answer {
        for (sum, byte) in sum.iter_mut().zip(row) {
            *sum += scale * f32::from(byte.cast_signed());
        }
    }
    best_form!(plain(sum, row, scale));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loops_count_right() {
        let mut found = vec![];
        distances(
            &[0b1011, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
            &[1, 0, 0, 0, 0, 0, 0, 0],
            &mut found,
        );
        assert_eq!(found, [2, 2]);
        let rows: Vec<u8> = (0..64).collect();
        found.clear();
        distances(&rows, &rows[..32], &mut found);
        assert_eq!(found[0], 0);
        let differing: u32 = (0..32_u8).map(|at| (at ^ (at + 32)).count_ones()).sum();
        assert_eq!(u32::from(found[1]), differing);
        assert_eq!(product(&[255, 2, 3], &[1, 2, 255]), -1 + 4 - 3);
        let mut sum = [1.0, 2.0];
        add_scaled(&mut sum, &[255, 4], 0.5);
        assert_eq!(sum, [0.5, 4.0]);
    }
}
