//! Vector kernels with SIMD variants for some processors. Every processor can run the portable variant, and all
//! variants return the same numbers.

mod attention;
mod instructions;
mod matrix;
#[cfg(target_arch = "aarch64")]
mod matrix_arm;
#[cfg(target_arch = "x86_64")]
mod matrix_x86;
mod network;

pub use attention::{AttentionScratch, HEAD_WIDTH, Heads};
pub use instructions::Instructions;
pub use matrix::{GROUP_INPUTS, PANEL_OUTPUTS, PackedMatrix, Panel, QuantisedRows, half_to_f32};
pub use network::Product;

/// Runs a loop compiled for AVX2 if the processor has it, else the portable loop.
macro_rules! with_avx2 {
    ($portable:ident($($argument:expr),*)) => {{
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx2,popcnt")]
            fn avx2(arguments: Arguments<'_>) -> Answer {
                $portable(arguments)
            }
            if std::arch::is_x86_feature_detected!("avx2")
                && std::arch::is_x86_feature_detected!("popcnt")
            {
                // SAFETY: the required processor features were just detected.
                return unsafe { avx2(($($argument),*)) };
            }
        }
        $portable(($($argument),*))
    }};
}

/// Appends the Hamming distance of each row and a query. A distance is a byte: rows of more than 256 bits are counted
/// in larger units, and 256 is clamped to 255.
pub fn hamming_distances(rows: &[u8], query: &[u8], found: &mut Vec<u8>) {
    #[cfg(target_arch = "x86_64")]
    if let Ok(query) = query.try_into()
        && std::arch::is_x86_feature_detected!("avx512vl")
        && std::arch::is_x86_feature_detected!("avx512vpopcntdq")
    {
        // SAFETY: the required processor features were just detected.
        return unsafe { avx512_distances(rows.as_chunks::<32>().0, query, found) };
    }
    #[cfg(target_arch = "x86_64")]
    if let Ok(query) = query.try_into()
        && std::arch::is_x86_feature_detected!("avx2")
    {
        // SAFETY: the required processor feature was just detected.
        return unsafe { avx2_distances(rows.as_chunks::<32>().0, query, found) };
    }
    general_distances(rows, query, found);
}

/// Computes the distances of four rows of 256 bits at a time.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512vpopcntdq")]
fn avx512_distances(rows: &[[u8; 32]], query: &[u8; 32], found: &mut Vec<u8>) {
    use std::arch::x86_64::{
        __m256i, _mm_cvtsi128_si32, _mm256_add_epi64, _mm256_cvtusepi64_epi8, _mm256_loadu_si256,
        _mm256_permute2x128_si256, _mm256_popcnt_epi64, _mm256_unpackhi_epi64,
        _mm256_unpacklo_epi64, _mm256_xor_si256,
    };
    // SAFETY: the array has the 32 bytes that are read.
    let bits = |row: &[u8; 32]| unsafe { _mm256_loadu_si256(row.as_ptr().cast::<__m256i>()) };
    let query_bits = bits(query);
    let differing = |row: &[u8; 32]| _mm256_popcnt_epi64(_mm256_xor_si256(bits(row), query_bits));
    // For two rows of four counts each: the sums of the first two counts and of the last two.
    let halves = |a: __m256i, b: __m256i| {
        _mm256_add_epi64(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b))
    };
    let (quads, rest) = rows.as_chunks::<4>();
    for [a, b, c, d] in quads {
        let (ab, cd) = (halves(differing(a), differing(b)), halves(differing(c), differing(d)));
        let first = _mm256_permute2x128_si256::<0x20>(ab, cd);
        let last = _mm256_permute2x128_si256::<0x31>(ab, cd);
        let bytes = _mm256_cvtusepi64_epi8(_mm256_add_epi64(first, last));
        found.extend(_mm_cvtsi128_si32(bytes).to_le_bytes());
    }
    general_distances(rest.as_flattened(), query, found);
}

/// Computes the distances of four rows of 256 bits at a time, on processors without an instruction that counts the bits
/// of a vector: the bits of each half of a byte are looked up in a table.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2_distances(rows: &[[u8; 32]], query: &[u8; 32], found: &mut Vec<u8>) {
    use std::arch::x86_64::{
        __m256i, _mm256_add_epi8, _mm256_add_epi64, _mm256_and_si256, _mm256_loadu_si256,
        _mm256_min_epu32, _mm256_permute2x128_si256, _mm256_sad_epu8, _mm256_set1_epi8,
        _mm256_set1_epi64x, _mm256_setr_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8,
        _mm256_srli_epi16, _mm256_storeu_si256, _mm256_unpackhi_epi64, _mm256_unpacklo_epi64,
        _mm256_xor_si256,
    };
    // SAFETY: the array has the 32 bytes that are read.
    let bits = |row: &[u8; 32]| unsafe { _mm256_loadu_si256(row.as_ptr().cast::<__m256i>()) };
    let query_bits = bits(query);
    let bits_of_half = _mm256_setr_epi8(
        0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, //
        0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
    );
    let low_half = _mm256_set1_epi8(0x0f);
    // The differing bits of a row, as four counts.
    let differing = |row: &[u8; 32]| {
        let bits = _mm256_xor_si256(bits(row), query_bits);
        let low = _mm256_and_si256(bits, low_half);
        let high = _mm256_and_si256(_mm256_srli_epi16::<4>(bits), low_half);
        let low = _mm256_shuffle_epi8(bits_of_half, low);
        let high = _mm256_shuffle_epi8(bits_of_half, high);
        _mm256_sad_epu8(_mm256_add_epi8(low, high), _mm256_setzero_si256())
    };
    // For two rows of four counts each: the sums of the first two counts and of the last two.
    let halves = |a: __m256i, b: __m256i| {
        _mm256_add_epi64(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b))
    };
    let (quads, rest) = rows.as_chunks::<4>();
    for [a, b, c, d] in quads {
        let (ab, cd) = (halves(differing(a), differing(b)), halves(differing(c), differing(d)));
        let first = _mm256_permute2x128_si256::<0x20>(ab, cd);
        let last = _mm256_permute2x128_si256::<0x31>(ab, cd);
        let sums = _mm256_min_epu32(_mm256_add_epi64(first, last), _mm256_set1_epi64x(255));
        let mut four = [0_u64; 4];
        // SAFETY: the array has room for the 32 bytes that are written.
        unsafe { _mm256_storeu_si256(four.as_mut_ptr().cast::<__m256i>(), sums) };
        found.extend(four.map(|sum| sum as u8));
    }
    general_distances(rest.as_flattened(), query, found);
}

/// Computes distances for rows of any width on any processor.
fn general_distances(rows: &[u8], query: &[u8], found: &mut Vec<u8>) {
    type Arguments<'a> = (&'a [u8], &'a [u8], &'a mut Vec<u8>);
    type Answer = ();
    #[inline(always)]
    fn portable((rows, query, found): Arguments<'_>) -> Answer {
        match <&[u8; 32]>::try_from(query) {
            // A constant width lets the compiler unroll the inner loop.
            Ok(query) => {
                let bits =
                    rows.as_chunks::<32>().0.iter().map(|row| count_differing_bits(row, query));
                found.extend(bits.map(|bits| bits.min(255) as u8));
            }
            Err(_) => {
                let unit = (query.len() as u32 * 8).div_ceil(256).max(1);
                let rows = rows.chunks_exact(query.len().max(1));
                let bits = rows.map(|row| count_differing_bits(row, query));
                found.extend(bits.map(|bits| (bits / unit).min(255) as u8));
            }
        }
    }
    with_avx2!(portable(rows, query, found));
}

#[inline(always)]
fn count_differing_bits(row: &[u8], query: &[u8]) -> u32 {
    let pairs = row.as_chunks::<8>().0.iter().zip(query.as_chunks::<8>().0);
    pairs.map(|(a, b)| (u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b)).count_ones()).sum()
}

/// Appends the positions of the bytes that are at most `limit`.
pub fn positions_at_most(bytes: &[u8], limit: u8, found: &mut Vec<u32>) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the required processor features were just detected.
        return unsafe { avx2_within(bytes, limit, found) };
    }
    portable_within(bytes, 0, limit, found);
}

fn portable_within(bytes: &[u8], start: usize, limit: u8, found: &mut Vec<u32>) {
    let small = bytes.iter().enumerate().filter(|(_, byte)| **byte <= limit);
    found.extend(small.map(|(position, _)| (start + position) as u32));
}

/// Compares 32 bytes at a time.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2_within(bytes: &[u8], limit: u8, found: &mut Vec<u32>) {
    use std::arch::x86_64::{
        __m256i, _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_max_epu8, _mm256_movemask_epi8,
        _mm256_set1_epi8,
    };
    let limits = _mm256_set1_epi8(limit.cast_signed());
    let (chunks, rest) = bytes.as_chunks::<32>();
    for (index, chunk) in chunks.iter().enumerate() {
        // SAFETY: the array has the 32 bytes that are read.
        let chunk = unsafe { _mm256_loadu_si256(chunk.as_ptr().cast::<__m256i>()) };
        let is_small = _mm256_cmpeq_epi8(_mm256_max_epu8(chunk, limits), limits);
        let mut small = _mm256_movemask_epi8(is_small).cast_unsigned();
        while small != 0 {
            found.push((index * 32) as u32 + small.trailing_zeros());
            small &= small - 1;
        }
    }
    portable_within(rest, bytes.len() - rest.len(), limit, found);
}

/// Returns the dot product of two rows of `i8` of equal length.
pub fn dot_product_i8(a: &[u8], b: &[u8]) -> i32 {
    debug_assert_eq!(a.len(), b.len());
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the required processor features were just detected.
        return unsafe { avx2_product(a, b) };
    }
    portable_product(a, b)
}

#[inline(always)]
fn portable_product(a: &[u8], b: &[u8]) -> i32 {
    let pairs = a.iter().zip(b);
    pairs.map(|(a, b)| i32::from(a.cast_signed()) * i32::from(b.cast_signed())).sum()
}

/// Multiplies 16 numbers at a time and adds them in pairs.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2_product(a: &[u8], b: &[u8]) -> i32 {
    use std::arch::x86_64::{
        __m128i, __m256i, _mm_loadu_si128, _mm256_add_epi32, _mm256_cvtepi8_epi16,
        _mm256_madd_epi16, _mm256_setzero_si256, _mm256_storeu_si256,
    };
    // SAFETY: the array has the 16 bytes that are read.
    let load = |bytes: &[u8; 16]| unsafe { _mm_loadu_si128(bytes.as_ptr().cast::<__m128i>()) };
    let ((chunks_a, rest_a), (chunks_b, rest_b)) = (a.as_chunks::<16>(), b.as_chunks::<16>());
    let mut sums = _mm256_setzero_si256();
    for (chunk_a, chunk_b) in chunks_a.iter().zip(chunks_b) {
        let a = _mm256_cvtepi8_epi16(load(chunk_a));
        let b = _mm256_cvtepi8_epi16(load(chunk_b));
        sums = _mm256_add_epi32(sums, _mm256_madd_epi16(a, b));
    }
    let mut lanes = [0_i32; 8];
    // SAFETY: the array has room for the 8 numbers that are written.
    unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast::<__m256i>(), sums) };
    lanes.iter().sum::<i32>() + portable_product(rest_a, rest_b)
}

/// Adds a row of `i8`, multiplied by `scale`, to a sum.
pub fn add_scaled(sum: &mut [f32], row: &[u8], scale: f32) {
    type Arguments<'a> = (&'a mut [f32], &'a [u8], f32);
    type Answer = ();
    #[inline(always)]
    fn portable((sum, row, scale): Arguments<'_>) -> Answer {
        for (sum, byte) in sum.iter_mut().zip(row) {
            *sum += scale * f32::from(byte.cast_signed());
        }
    }
    with_avx2!(portable(sum, row, scale));
}

/// Prefetches bytes that are about to be read into the processor's cache.
#[inline]
pub fn prefetch(bytes: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    for line in bytes.chunks(64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch hint accesses nothing, and every x86-64 processor supports it.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = bytes;
}

/// The number of partial sums. It is the same on every processor, since the order of float additions changes the
/// result.
const LANES: usize = 8;

/// Returns the sum of a vector's squares.
pub(crate) fn sum_of_squares(vector: &[f32]) -> f32 {
    type Arguments<'a> = &'a [f32];
    type Answer = f32;
    #[inline(always)]
    fn portable(vector: Arguments<'_>) -> Answer {
        let (chunks, rest) = vector.as_chunks::<LANES>();
        let mut sums = [0.0_f32; LANES];
        for chunk in chunks {
            sums.iter_mut().zip(chunk).for_each(|(sum, x)| *sum += x * x);
        }
        sums.iter().sum::<f32>() + rest.iter().map(|x| x * x).sum::<f32>()
    }
    with_avx2!(portable(vector))
}

/// Returns the largest absolute value of a vector.
pub fn max_abs(vector: &[f32]) -> f32 {
    type Arguments<'a> = &'a [f32];
    type Answer = f32;
    #[inline(always)]
    fn portable(vector: Arguments<'_>) -> Answer {
        let (chunks, rest) = vector.as_chunks::<LANES>();
        let mut maxima = [0.0_f32; LANES];
        for chunk in chunks {
            for (max, x) in maxima.iter_mut().zip(chunk) {
                *max = if x.abs() > *max { x.abs() } else { *max };
            }
        }
        maxima.iter().chain(rest).fold(0.0, |max, x| max.max(x.abs()))
    }
    with_avx2!(portable(vector))
}

/// Quantises a vector: appends each number, multiplied by `scale` and rounded, as an `i8`.
pub fn quantise_i8(vector: &[f32], scale: f32, found: &mut Vec<u8>) {
    type Arguments<'a> = (&'a [f32], f32, &'a mut Vec<u8>);
    type Answer = ();
    #[inline(always)]
    fn portable((vector, scale, found): Arguments<'_>) -> Answer {
        // `f32::round` would be a function call for each number.
        let rounded = |x: &f32| (x * scale + 0.5_f32.copysign(*x)) as i32 as i8;
        found.extend(vector.iter().map(|x| rounded(x).cast_unsigned()));
    }
    with_avx2!(portable(vector, scale, found));
}

/// Appends one bit for each number: 1 if it is positive.
pub fn append_sign_bits(vector: &[f32], found: &mut Vec<u8>) {
    let (octets, rest) = vector.as_chunks::<8>();
    signs_of_octets(octets, found);
    if !rest.is_empty() {
        found.push(sign_bits(rest));
    }
}

fn signs_of_octets(octets: &[[f32; 8]], found: &mut Vec<u8>) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the required processor features were just detected.
        return unsafe { avx2_signs(octets, found) };
    }
    found.extend(octets.iter().map(|octet| sign_bits(octet)));
}

fn sign_bits(numbers: &[f32]) -> u8 {
    numbers.iter().rev().fold(0, |byte, x| byte << 1 | u8::from(*x > 0.0))
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2_signs(octets: &[[f32; 8]], found: &mut Vec<u8>) {
    use std::arch::x86_64::{
        _CMP_GT_OQ, _mm256_cmp_ps, _mm256_loadu_ps, _mm256_movemask_ps, _mm256_setzero_ps,
    };
    for octet in octets {
        // SAFETY: the array has the 8 numbers that are read.
        let numbers = unsafe { _mm256_loadu_ps(octet.as_ptr()) };
        let positive = _mm256_cmp_ps::<_CMP_GT_OQ>(numbers, _mm256_setzero_ps());
        found.push(_mm256_movemask_ps(positive) as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_differing_bits() {
        let mut found = vec![];
        hamming_distances(
            &[0b1011, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
            &[1, 0, 0, 0, 0, 0, 0, 0],
            &mut found,
        );
        assert_eq!(found, [2, 2]);
        let rows: Vec<u8> = (0..64).collect();
        found.clear();
        hamming_distances(&rows, &rows[..32], &mut found);
        assert_eq!(found[0], 0);
        let differing: u32 = (0..32_u8).map(|at| (at ^ (at + 32)).count_ones()).sum();
        assert_eq!(u32::from(found[1]), differing);
    }

    #[test]
    fn all_variants_return_the_same_distances() {
        let rows: Vec<u8> = (0..32 * 11).map(|at: u32| (at * at / 7) as u8).collect();
        for query in [&rows[32..64], &[0; 32], &[255; 32]] {
            let (mut found, mut expected) = (vec![], vec![]);
            hamming_distances(&rows, query, &mut found);
            general_distances(&rows, query, &mut expected);
            assert_eq!(found, expected);
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") {
                found.clear();
                let query = query.try_into().unwrap();
                // SAFETY: the required processor feature was just detected.
                unsafe { avx2_distances(rows.as_chunks::<32>().0, query, &mut found) };
                assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn distances_fit_a_byte() {
        let mut found = vec![];
        hamming_distances(&[255; 32], &[0; 32], &mut found);
        assert_eq!(found, [255]);
        found.clear();
        let long: Vec<u8> = [vec![0xff; 64], vec![0; 64], vec![0xff; 128]].concat();
        hamming_distances(&long, &[0; 128], &mut found);
        assert_eq!(found, [128, 255]);
    }

    #[test]
    fn all_variants_return_the_same_product() {
        assert_eq!(dot_product_i8(&[255, 2, 3], &[1, 2, 255]), -1 + 4 - 3);
        for length in [0, 15, 16, 33, 256] {
            let a: Vec<u8> = (0..length).map(|at| (at * 37 % 256) as u8).collect();
            let b: Vec<u8> = (0..length).map(|at| (at * 101 % 256) as u8).collect();
            assert_eq!(dot_product_i8(&a, &b), portable_product(&a, &b));
        }
    }

    #[test]
    fn all_variants_find_the_same_bytes_within_a_limit() {
        let bytes: Vec<u8> = (0..100_u8).map(|at| at.wrapping_mul(89)).collect();
        for limit in [0, 1, 100, 200, 255] {
            let (mut found, mut expected) = (vec![], vec![]);
            positions_at_most(&bytes, limit, &mut found);
            portable_within(&bytes, 0, limit, &mut expected);
            assert_eq!(found, expected);
            assert!(!found.is_empty() && (limit == 255) == (found.len() == bytes.len()));
        }
    }

    #[test]
    fn rows_are_scaled_summed_and_quantised() {
        let mut sum = [1.0, 2.0];
        add_scaled(&mut sum, &[255, 4], 0.5);
        assert_eq!(sum, [0.5, 4.0]);
        let vector = [1.0, -2.0, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0, -4.0];
        assert!((sum_of_squares(&vector) - 30.0).abs() < 1e-6);
        assert!((max_abs(&vector) - 4.0).abs() < 1e-6);
        let mut bits = vec![];
        append_sign_bits(&vector, &mut bits);
        assert_eq!(bits, [0b101, 0]);
        append_sign_bits(&[0.5; 8], &mut bits);
        assert_eq!(bits, [0b101, 0, 255]);
        let mut small = vec![];
        quantise_i8(&[1.0, -1.0, 0.24], 2.0, &mut small);
        assert_eq!(small, [2, 254, 0]);
    }
}
