//! The products of matrices with the vectors of x86 processors.
//!
//! The loops over the steps of a group, two at a time, hide their number from the compiler: if it unrolled them, it would load
//! so much ahead that the sums leave the registers, or the code would leave the cache of decoded instructions.

use std::arch::x86_64::{
    __m256i, __m512i, _mm256_add_epi16, _mm256_cvtepi32_ps, _mm256_dpbusd_avx_epi32,
    _mm256_fmadd_ps, _mm256_load_ps, _mm256_load_si256, _mm256_loadu_ps, _mm256_madd_epi16,
    _mm256_maddubs_epi16, _mm256_set1_epi16, _mm256_set1_epi32, _mm256_setzero_si256,
    _mm256_storeu_ps, _mm512_add_epi16, _mm512_cvtepi32_ps, _mm512_dpbusd_epi32, _mm512_fmadd_ps,
    _mm512_load_ps, _mm512_load_si512, _mm512_loadu_ps, _mm512_madd_epi16, _mm512_maddubs_epi16,
    _mm512_set1_epi16, _mm512_set1_epi32, _mm512_setzero_ps, _mm512_setzero_si512,
    _mm512_storeu_ps,
};
use std::hint::black_box;

use super::matrix::{GROUP_STEPS, PANEL_OUTPUTS, Panel, TILE_ROWS, TileStep};

/// Defines a kernel with 16 outputs a vector. `$multiply` returns the first products of vectors of activations and weights,
/// `$add` adds further ones, and `$total` returns the sums of the outputs.
macro_rules! kernel_512 {
    ($name:ident, $features:literal, $multiply:expr, $add:expr, $total:expr) => {
        /// # Safety
        /// The processor has the features; tile and panel have as many steps.
        #[target_feature(enable = $features)]
        pub(super) unsafe fn $name(
            tile: &[TileStep],
            panel: &Panel,
            out: &mut [f32],
            stride: usize,
        ) {
            const LANES: usize = 16;
            const VECTORS: usize = PANEL_OUTPUTS / LANES;
            let mut starts = [_mm512_setzero_ps(); VECTORS];
            for (vector, start) in starts.iter_mut().enumerate() {
                let numbers = panel.start[vector * LANES..][..LANES].as_ptr();
                // SAFETY: the slice has 16 numbers.
                *start = unsafe { _mm512_loadu_ps(numbers) };
            }
            let mut sums = [starts; TILE_ROWS];
            let mut activations = tile.as_ptr();
            let mut weights = panel.steps.as_ptr();
            for group in &panel.groups {
                let mut products = [[_mm512_setzero_si512(); VECTORS]; TILE_ROWS];
                let end = black_box(activations.wrapping_add(GROUP_STEPS));
                macro_rules! step {
                    (|$old:ident, $row:ident, $weights:ident| $new:expr) => {
                        let mut vectors = [_mm512_setzero_si512(); VECTORS];
                        for (vector, loaded) in vectors.iter_mut().enumerate() {
                            let bytes = weights.cast::<__m512i>().wrapping_add(vector);
                            // SAFETY: a step of the panel has so many aligned vectors.
                            *loaded = unsafe { _mm512_load_si512(bytes) };
                        }
                        for row in 0..TILE_ROWS {
                            let bytes = activations.cast::<i32>().wrapping_add(row);
                            // SAFETY: a step of the tile has so many rows.
                            let bytes = unsafe { bytes.read_unaligned() };
                            let $row = _mm512_set1_epi32(bytes);
                            for vector in 0..VECTORS {
                                let ($old, $weights) = (products[row][vector], vectors[vector]);
                                products[row][vector] = $new;
                            }
                        }
                        activations = activations.wrapping_add(1);
                        weights = weights.wrapping_add(1);
                    };
                }
                step!(|_first, row, weights| $multiply(row, weights));
                step!(|products, row, weights| $add(products, row, weights));
                while activations != end {
                    step!(|products, row, weights| $add(products, row, weights));
                    step!(|products, row, weights| $add(products, row, weights));
                }
                for vector in 0..VECTORS {
                    let factors = group.factors[vector * LANES..][..LANES].as_ptr();
                    // SAFETY: the slice has 16 numbers, and groups are aligned.
                    let factors = unsafe { _mm512_load_ps(factors) };
                    for row in 0..TILE_ROWS {
                        let total = _mm512_cvtepi32_ps($total(products[row][vector]));
                        sums[row][vector] = _mm512_fmadd_ps(total, factors, sums[row][vector]);
                    }
                }
            }
            let mut rows = out.chunks_mut(stride);
            for sums in sums {
                let Some(row) = rows.next() else { return };
                for (vector, sum) in sums.into_iter().enumerate() {
                    let numbers = row[vector * LANES..][..LANES].as_mut_ptr();
                    // SAFETY: the slice has 16 numbers.
                    unsafe { _mm512_storeu_ps(numbers, sum) };
                }
            }
        }
    };
}

kernel_512!(
    avx512_vnni,
    "avx512f,avx512vnni",
    |row, weights| _mm512_dpbusd_epi32(_mm512_setzero_si512(), row, weights),
    |products, row, weights| _mm512_dpbusd_epi32(products, row, weights),
    |products: __m512i| products
);

// The sums of 16 bits have half of a group's products each: at most 16 · 255 · 8, which fits.
kernel_512!(
    avx512,
    "avx512f,avx512bw",
    |row, weights| _mm512_maddubs_epi16(row, weights),
    |products, row, weights| _mm512_add_epi16(products, _mm512_maddubs_epi16(row, weights)),
    |products| _mm512_madd_epi16(products, _mm512_set1_epi16(1))
);

/// Defines a kernel with 8 outputs a vector, as [`kernel_512`] does. The panel is computed in parts whose products stay in
/// registers; the sums do not.
macro_rules! kernel_256 {
    ($name:ident, $features:literal, $multiply:expr, $add:expr, $total:expr) => {
        /// # Safety
        /// The processor has the features; tile and panel have as many steps.
        #[target_feature(enable = $features)]
        pub(super) unsafe fn $name(
            tile: &[TileStep],
            panel: &Panel,
            out: &mut [f32],
            stride: usize,
        ) {
            const LANES: usize = 8;
            const VECTORS: usize = 2;
            let mut tile_sums = [panel.start; TILE_ROWS];
            for part in 0..PANEL_OUTPUTS / (LANES * VECTORS) {
                let mut activations = tile.as_ptr();
                let mut weights = panel.steps.as_ptr();
                for group in &panel.groups {
                    let mut products = [[_mm256_setzero_si256(); VECTORS]; TILE_ROWS];
                    let end = black_box(activations.wrapping_add(GROUP_STEPS));
                    macro_rules! step {
                        (|$old:ident, $row:ident, $weights:ident| $new:expr) => {
                            let mut vectors = [_mm256_setzero_si256(); VECTORS];
                            for (vector, loaded) in vectors.iter_mut().enumerate() {
                                let number = part * VECTORS + vector;
                                let bytes = weights.cast::<__m256i>().wrapping_add(number);
                                // SAFETY: a step of the panel has so many aligned vectors.
                                *loaded = unsafe { _mm256_load_si256(bytes) };
                            }
                            for row in 0..TILE_ROWS {
                                let bytes = activations.cast::<i32>().wrapping_add(row);
                                // SAFETY: a step of the tile has so many rows.
                                let bytes = unsafe { bytes.read_unaligned() };
                                let $row = _mm256_set1_epi32(bytes);
                                for vector in 0..VECTORS {
                                    let ($old, $weights) = (products[row][vector], vectors[vector]);
                                    products[row][vector] = $new;
                                }
                            }
                            activations = activations.wrapping_add(1);
                            weights = weights.wrapping_add(1);
                        };
                    }
                    step!(|_first, row, weights| $multiply(row, weights));
                    step!(|products, row, weights| $add(products, row, weights));
                    while activations != end {
                        step!(|products, row, weights| $add(products, row, weights));
                        step!(|products, row, weights| $add(products, row, weights));
                    }
                    for vector in 0..VECTORS {
                        let first = (part * VECTORS + vector) * LANES;
                        let factors = group.factors[first..][..LANES].as_ptr();
                        // SAFETY: the slice has 8 numbers, and groups are aligned.
                        let factors = unsafe { _mm256_load_ps(factors) };
                        for row in 0..TILE_ROWS {
                            let total = _mm256_cvtepi32_ps($total(products[row][vector]));
                            let sum = tile_sums[row][first..][..LANES].as_mut_ptr();
                            // SAFETY: the slice has 8 numbers.
                            unsafe {
                                let more = _mm256_fmadd_ps(total, factors, _mm256_loadu_ps(sum));
                                _mm256_storeu_ps(sum, more);
                            }
                        }
                    }
                }
            }
            for (row, sums) in out.chunks_mut(stride).zip(&tile_sums) {
                row[..PANEL_OUTPUTS].copy_from_slice(sums);
            }
        }
    };
}

kernel_256!(
    avx_vnni,
    "avx2,fma,avxvnni",
    |row, weights| _mm256_dpbusd_avx_epi32(_mm256_setzero_si256(), row, weights),
    |products, row, weights| _mm256_dpbusd_avx_epi32(products, row, weights),
    |products: __m256i| products
);

// As for `avx512`.
kernel_256!(
    avx2,
    "avx2,fma",
    |row, weights| _mm256_maddubs_epi16(row, weights),
    |products, row, weights| _mm256_add_epi16(products, _mm256_maddubs_epi16(row, weights)),
    |products| _mm256_madd_epi16(products, _mm256_set1_epi16(1))
);
