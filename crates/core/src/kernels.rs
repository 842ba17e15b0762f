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

/// Writes how many bits of each row differ from those of a query, in steps that are as large as they
/// must be for a byte; at most 255 is written.
pub fn distances(rows: &[u8], query: &[u8], found: &mut Vec<u8>) {
    #[cfg(target_arch = "x86_64")]
    if let Ok(query) = query.try_into()
        && std::arch::is_x86_feature_detected!("avx512vl")
        && std::arch::is_x86_feature_detected!("avx512vpopcntdq")
    {
        // SAFETY: the processor has just been asked for what the form needs.
        return unsafe { widest_distances(rows.as_chunks::<32>().0, query, found) };
    }
    narrower_distances(rows, query, found);
}

/// Four rows at a time, whose bits are counted in one go.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512vpopcntdq")]
fn widest_distances(rows: &[[u8; 32]], query: &[u8; 32], found: &mut Vec<u8>) {
    use std::arch::x86_64::{
        __m256i, _mm_cvtsi128_si32, _mm256_add_epi64, _mm256_cvtusepi64_epi8, _mm256_loadu_si256,
        _mm256_permute2x128_si256, _mm256_popcnt_epi64, _mm256_unpackhi_epi64,
        _mm256_unpacklo_epi64, _mm256_xor_si256,
    };
    // SAFETY: thirty-two bytes are read that are there.
    let bits = |row: &[u8; 32]| unsafe { _mm256_loadu_si256(row.as_ptr().cast::<__m256i>()) };
    let own = bits(query);
    let differing = |row: &[u8; 32]| _mm256_popcnt_epi64(_mm256_xor_si256(bits(row), own));
    // Of two rows, the sums of their first and of their last two numbers.
    let halves = |a: __m256i, b: __m256i| {
        _mm256_add_epi64(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b))
    };
    let (fours, rest) = rows.as_chunks::<4>();
    for [a, b, c, d] in fours {
        let (ab, cd) = (halves(differing(a), differing(b)), halves(differing(c), differing(d)));
        let first = _mm256_permute2x128_si256::<0x20>(ab, cd);
        let last = _mm256_permute2x128_si256::<0x31>(ab, cd);
        let bytes = _mm256_cvtusepi64_epi8(_mm256_add_epi64(first, last));
        found.extend(_mm_cvtsi128_si32(bytes).to_le_bytes());
    }
    narrower_distances(rest.as_flattened(), query, found);
}

/// The same for vectors of any width, on any processor.
fn narrower_distances(rows: &[u8], query: &[u8], found: &mut Vec<u8>) {
    type Arguments<'a> = (&'a [u8], &'a [u8], &'a mut Vec<u8>);
    type Answer = ();
    #[inline(always)]
    fn plain((rows, query, found): Arguments<'_>) -> Answer {
        match <&[u8; 32]>::try_from(query) {
            // The usual width has no loop within the loop.
            Ok(query) => {
                let bits = rows.as_chunks::<32>().0.iter().map(|row| differing(row, query));
                found.extend(bits.map(|bits| bits.min(255) as u8));
            }
            Err(_) => {
                let step = (query.len() as u32 * 8).div_ceil(256).max(1);
                let rows = rows.chunks_exact(query.len().max(1));
                let bits = rows.map(|row| differing(row, query));
                found.extend(bits.map(|bits| (bits / step).min(255) as u8));
            }
        }
    }
    best_form!(plain(rows, query, found));
}

#[inline(always)]
fn differing(row: &[u8], query: &[u8]) -> u32 {
    let pairs = row.as_chunks::<8>().0.iter().zip(query.as_chunks::<8>().0);
    pairs.map(|(a, b)| (u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b)).count_ones()).sum()
}

/// Writes the places of the bytes that are at most as large as a limit.
pub fn within(bytes: &[u8], limit: u8, found: &mut Vec<u32>) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has just been asked for what the form needs.
        return unsafe { wide_within(bytes, limit, found) };
    }
    plain_within(bytes, 0, limit, found);
}

fn plain_within(bytes: &[u8], start: usize, limit: u8, found: &mut Vec<u32>) {
    let small = bytes.iter().enumerate().filter(|(_, byte)| **byte <= limit);
    found.extend(small.map(|(at, _)| (start + at) as u32));
}

/// Thirty-two bytes at a time.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn wide_within(bytes: &[u8], limit: u8, found: &mut Vec<u32>) {
    use std::arch::x86_64::{
        __m256i, _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_max_epu8, _mm256_movemask_epi8,
        _mm256_set1_epi8,
    };
    let limits = _mm256_set1_epi8(limit.cast_signed());
    let (chunks, rest) = bytes.as_chunks::<32>();
    for (at, chunk) in chunks.iter().enumerate() {
        // SAFETY: thirty-two bytes are read that are there.
        let chunk = unsafe { _mm256_loadu_si256(chunk.as_ptr().cast::<__m256i>()) };
        let is_small = _mm256_cmpeq_epi8(_mm256_max_epu8(chunk, limits), limits);
        let mut small = _mm256_movemask_epi8(is_small).cast_unsigned();
        while small != 0 {
            found.push((at * 32) as u32 + small.trailing_zeros());
            small &= small - 1;
        }
    }
    plain_within(rest, bytes.len() - rest.len(), limit, found);
}

/// Multiplies two rows of small numbers, of equal length.
pub fn product(a: &[u8], b: &[u8]) -> i32 {
    debug_assert_eq!(a.len(), b.len());
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has just been asked for what the form needs.
        return unsafe { wide_product(a, b) };
    }
    plain_product(a, b)
}

#[inline(always)]
fn plain_product(a: &[u8], b: &[u8]) -> i32 {
    let pairs = a.iter().zip(b);
    pairs.map(|(a, b)| i32::from(a.cast_signed()) * i32::from(b.cast_signed())).sum()
}

/// Sixteen numbers at a time, multiplied and added up in pairs.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn wide_product(a: &[u8], b: &[u8]) -> i32 {
    use std::arch::x86_64::{
        __m128i, __m256i, _mm_loadu_si128, _mm256_add_epi32, _mm256_cvtepi8_epi16,
        _mm256_madd_epi16, _mm256_setzero_si256, _mm256_storeu_si256,
    };
    // SAFETY: sixteen bytes are read that are there.
    let sixteen = |bytes: &[u8; 16]| unsafe { _mm_loadu_si128(bytes.as_ptr().cast::<__m128i>()) };
    let ((whole_a, rest_a), (whole_b, rest_b)) = (a.as_chunks::<16>(), b.as_chunks::<16>());
    let mut sums = _mm256_setzero_si256();
    for at in 0..whole_a.len().min(whole_b.len()) {
        let a = _mm256_cvtepi8_epi16(sixteen(&whole_a[at]));
        let b = _mm256_cvtepi8_epi16(sixteen(&whole_b[at]));
        sums = _mm256_add_epi32(sums, _mm256_madd_epi16(a, b));
    }
    let mut eight = [0_i32; 8];
    // SAFETY: eight numbers are written where there is room for them.
    unsafe { _mm256_storeu_si256(eight.as_mut_ptr().cast::<__m256i>(), sums) };
    eight.iter().sum::<i32>() + plain_product(rest_a, rest_b)
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

/// Has bytes brought near that are soon to be read; nothing else comes of it.
pub fn fetch(bytes: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    for line in bytes.chunks(64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint reads nothing, and every processor of this kind takes it.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = bytes;
}

/// So many sums are kept side by side, whatever the processor, so that all come to the same.
const LANES: usize = 8;

/// Returns the sum of a vector's squares.
pub fn squares(vector: &[f32]) -> f32 {
    type Arguments<'a> = &'a [f32];
    type Answer = f32;
    #[inline(always)]
    fn plain(vector: Arguments<'_>) -> Answer {
        let (chunks, rest) = vector.as_chunks::<LANES>();
        let mut sums = [0.0_f32; LANES];
        for chunk in chunks {
            sums.iter_mut().zip(chunk).for_each(|(sum, x)| *sum += x * x);
        }
        sums.iter().sum::<f32>() + rest.iter().map(|x| x * x).sum::<f32>()
    }
    best_form!(plain(vector))
}

/// Returns how far from zero the number is that is farthest.
pub fn largest(vector: &[f32]) -> f32 {
    type Arguments<'a> = &'a [f32];
    type Answer = f32;
    #[inline(always)]
    fn plain(vector: Arguments<'_>) -> Answer {
        let (chunks, rest) = vector.as_chunks::<LANES>();
        let mut most = [0.0_f32; LANES];
        for chunk in chunks {
            for (most, x) in most.iter_mut().zip(chunk) {
                *most = if x.abs() > *most { x.abs() } else { *most };
            }
        }
        most.iter().chain(rest).fold(0.0, |most, x| most.max(x.abs()))
    }
    best_form!(plain(vector))
}

/// Writes each number times another as a small one, the nearest.
pub fn shrink(vector: &[f32], times: f32, found: &mut Vec<u8>) {
    type Arguments<'a> = (&'a [f32], f32, &'a mut Vec<u8>);
    type Answer = ();
    #[inline(always)]
    fn plain((vector, times, found): Arguments<'_>) -> Answer {
        // To the nearest whole number, without a call for each.
        let small = |x: &f32| (x * times + 0.5_f32.copysign(*x)) as i32 as i8;
        found.extend(vector.iter().map(|x| small(x).cast_unsigned()));
    }
    best_form!(plain(vector, times, found));
}

/// Writes a bit for each number: whether it is above zero.
pub fn signs(vector: &[f32], found: &mut Vec<u8>) {
    let (eights, rest) = vector.as_chunks::<8>();
    signs_of_eights(eights, found);
    if !rest.is_empty() {
        found.push(sign_bits(rest));
    }
}

fn signs_of_eights(eights: &[[f32; 8]], found: &mut Vec<u8>) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has just been asked for what the form needs.
        return unsafe { wide_signs(eights, found) };
    }
    found.extend(eights.iter().map(|eight| sign_bits(eight)));
}

fn sign_bits(numbers: &[f32]) -> u8 {
    numbers.iter().rev().fold(0, |byte, x| byte << 1 | u8::from(*x > 0.0))
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn wide_signs(eights: &[[f32; 8]], found: &mut Vec<u8>) {
    use std::arch::x86_64::{
        _CMP_GT_OQ, _mm256_cmp_ps, _mm256_loadu_ps, _mm256_movemask_ps, _mm256_setzero_ps,
    };
    for eight in eights {
        // SAFETY: eight numbers are read that are there.
        let numbers = unsafe { _mm256_loadu_ps(eight.as_ptr()) };
        let above = _mm256_cmp_ps::<_CMP_GT_OQ>(numbers, _mm256_setzero_ps());
        found.push(_mm256_movemask_ps(above) as u8);
    }
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
        // All forms count the same, and no more than a byte holds.
        let rows: Vec<u8> = (0..32 * 11).map(|at: u32| (at * at / 7) as u8).collect();
        for query in [&rows[32..64], &[0; 32], &[255; 32]] {
            let (mut found, mut plain) = (vec![], vec![]);
            distances(&rows, query, &mut found);
            narrower_distances(&rows, query, &mut plain);
            assert_eq!(found, plain);
        }
        found.clear();
        distances(&[255; 32], &[0; 32], &mut found);
        assert_eq!(found, [255]);
        // Long vectors are told apart as well.
        found.clear();
        let long: Vec<u8> = [vec![0xff; 64], vec![0; 64], vec![0xff; 128]].concat();
        distances(&long, &[0; 128], &mut found);
        assert_eq!(found, [128, 255]);
        assert_eq!(product(&[255, 2, 3], &[1, 2, 255]), -1 + 4 - 3);
        for length in [0, 15, 16, 33, 256] {
            let a: Vec<u8> = (0..length).map(|at| (at * 37 % 256) as u8).collect();
            let b: Vec<u8> = (0..length).map(|at| (at * 101 % 256) as u8).collect();
            assert_eq!(product(&a, &b), plain_product(&a, &b));
        }
        let bytes: Vec<u8> = (0..100_u8).map(|at| at.wrapping_mul(89)).collect();
        for limit in [0, 1, 100, 200, 255] {
            let (mut found, mut plain) = (vec![], vec![]);
            within(&bytes, limit, &mut found);
            plain_within(&bytes, 0, limit, &mut plain);
            assert_eq!(found, plain);
            assert!(!found.is_empty() && (limit == 255) == (found.len() == bytes.len()));
        }
        let mut sum = [1.0, 2.0];
        add_scaled(&mut sum, &[255, 4], 0.5);
        assert_eq!(sum, [0.5, 4.0]);
        let vector = [1.0, -2.0, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0, -4.0];
        assert!((squares(&vector) - 30.0).abs() < 1e-6);
        assert!((largest(&vector) - 4.0).abs() < 1e-6);
        let mut bits = vec![];
        signs(&vector, &mut bits);
        assert_eq!(bits, [0b101, 0]);
        signs(&[0.5; 8], &mut bits);
        assert_eq!(bits, [0b101, 0, 255]);
        let mut small = vec![];
        shrink(&[1.0, -1.0, 0.24], 2.0, &mut small);
        assert_eq!(small, [2, 254, 0]);
    }
}
