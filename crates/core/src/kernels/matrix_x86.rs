//! The products of matrices with the vectors of x86 processors. Each kernel computes a tile of some rows and outputs at a
//! time, whose sums stay in registers, and all rows before the next outputs, so that weights are read from memory once.

use std::arch::x86_64::{
    __m128i, __m256i, _MM_HINT_T0, _mm_loadu_si128, _mm_prefetch, _mm256_add_epi32,
    _mm256_cvtepi8_epi16, _mm256_dpbusd_avx_epi32, _mm256_hadd_epi32, _mm256_loadu_si256,
    _mm256_madd_epi16, _mm256_permute4x64_epi64, _mm256_set1_epi32, _mm256_set1_epi64x,
    _mm256_setzero_si256, _mm256_storeu_si256, _mm512_dpbusd_epi32, _mm512_loadu_si512,
    _mm512_set1_epi32, _mm512_setzero_si512, _mm512_storeu_si512,
};

use super::matrix::{GROUP_INPUTS, PANEL_OUTPUTS, PackedMatrix, STEP_BYTES};

/// The rows of a tile.
const TILE_ROWS: usize = 6;

/// The panels of a tile, with AVX-512: with its rows, 24 of 32 registers.
const TILE_PANELS: usize = 4;

/// Returns the rows of a tile; the last row stands in for those after it.
fn tile_rows<T>(rows: &[T], inputs: usize, first: usize) -> [*const T; TILE_ROWS] {
    let last = rows.len() / inputs - 1;
    std::array::from_fn(|row| rows[(first + row).min(last) * inputs..].as_ptr())
}

/// # Safety
/// The processor has the features; `rows` and `products` are whole rows of the matrix's inputs and outputs, and of as many.
#[target_feature(enable = "avx512f,avx512vnni")]
pub(super) unsafe fn avx512_vnni(rows: &[u8], matrix: &PackedMatrix, products: &mut [i32]) {
    let panels = matrix.outputs / PANEL_OUTPUTS;
    let whole = panels / TILE_PANELS * TILE_PANELS;
    for panel in (0..whole).step_by(TILE_PANELS) {
        for row in (0..rows.len() / matrix.inputs).step_by(TILE_ROWS) {
            // SAFETY: the panels and the row exist.
            unsafe { avx512_tile::<TILE_PANELS>(rows, matrix, products, row, panel) };
        }
    }
    for panel in whole..panels {
        for row in (0..rows.len() / matrix.inputs).step_by(TILE_ROWS) {
            // SAFETY: the panel and the row exist.
            unsafe { avx512_tile::<1>(rows, matrix, products, row, panel) };
        }
    }
}

#[target_feature(enable = "avx512f,avx512vnni")]
unsafe fn avx512_tile<const PANELS: usize>(
    rows: &[u8],
    matrix: &PackedMatrix,
    products: &mut [i32],
    first_row: usize,
    first_panel: usize,
) {
    let (inputs, outputs) = (matrix.inputs, matrix.outputs);
    let first_output = first_panel * PANEL_OUTPUTS;
    let row_starts = tile_rows(rows, inputs, first_row);
    let panel_bytes = inputs * PANEL_OUTPUTS;
    let weights = matrix.weights[first_panel * panel_bytes..][..PANELS * panel_bytes].as_ptr();
    let starts = matrix.starts[first_output..][..PANELS * PANEL_OUTPUTS].as_ptr();
    let mut first_sums = [_mm512_setzero_si512(); PANELS];
    for (panel, sum) in first_sums.iter_mut().enumerate() {
        // SAFETY: the slice has a start for each output.
        *sum = unsafe { _mm512_loadu_si512(starts.add(panel * PANEL_OUTPUTS).cast()) };
    }
    let mut sums = [first_sums; TILE_ROWS];
    // The first tiles of some panels prefetch a panel each of those that come next.
    let ahead = weights.wrapping_add((PANELS + first_row / TILE_ROWS) * panel_bytes);
    let prefetches = first_row / TILE_ROWS < PANELS;
    for step in 0..inputs / GROUP_INPUTS {
        if prefetches {
            _mm_prefetch::<_MM_HINT_T0>(ahead.wrapping_add(step * STEP_BYTES).cast());
        }
        let mut step_weights = [_mm512_setzero_si512(); PANELS];
        for (panel, weights_of_panel) in step_weights.iter_mut().enumerate() {
            // SAFETY: each panel has so many steps.
            let at = unsafe { weights.add(panel * panel_bytes + step * STEP_BYTES) };
            // SAFETY: a step has 64 bytes.
            *weights_of_panel = unsafe { _mm512_loadu_si512(at.cast()) };
        }
        for (sums, start) in sums.iter_mut().zip(row_starts) {
            // SAFETY: each row has so many groups of inputs.
            let group = unsafe { start.add(step * GROUP_INPUTS).cast::<i32>().read_unaligned() };
            let activations = _mm512_set1_epi32(group);
            for (sum, step_weights) in sums.iter_mut().zip(step_weights) {
                *sum = _mm512_dpbusd_epi32(*sum, activations, step_weights);
            }
        }
    }
    for (row, sums) in products.chunks_exact_mut(outputs).skip(first_row).zip(sums) {
        let row = &mut row[first_output..][..PANELS * PANEL_OUTPUTS];
        for (numbers, sum) in row.as_chunks_mut::<PANEL_OUTPUTS>().0.iter_mut().zip(sums) {
            // SAFETY: the array has room for the 16 numbers that are written.
            unsafe { _mm512_storeu_si512(numbers.as_mut_ptr().cast(), sum) };
        }
    }
}

/// # Safety
/// As `avx512_vnni`.
#[target_feature(enable = "avx2,avxvnni")]
pub(super) unsafe fn avx_vnni(rows: &[u8], matrix: &PackedMatrix, products: &mut [i32]) {
    const HALF: usize = PANEL_OUTPUTS / 2;
    let (inputs, outputs) = (matrix.inputs, matrix.outputs);
    let load = |at: *const u8| {
        // SAFETY: callers pass the start of 32 bytes.
        unsafe { _mm256_loadu_si256(at.cast::<__m256i>()) }
    };
    for (panel, weights) in matrix.weights.chunks_exact(inputs * PANEL_OUTPUTS).enumerate() {
        let first_output = panel * PANEL_OUTPUTS;
        let starts = matrix.starts[first_output..][..PANEL_OUTPUTS].as_ptr();
        let starts = [load(starts.cast()), load(starts.wrapping_add(HALF).cast())];
        for first_row in (0..rows.len() / inputs).step_by(TILE_ROWS) {
            let row_starts = tile_rows(rows, inputs, first_row);
            let mut sums = [starts; TILE_ROWS];
            for (step, weights) in weights.as_chunks::<STEP_BYTES>().0.iter().enumerate() {
                let weights = [load(weights.as_ptr()), load(weights[STEP_BYTES / 2..].as_ptr())];
                for row in 0..TILE_ROWS {
                    let group = row_starts[row].wrapping_add(step * GROUP_INPUTS).cast::<i32>();
                    // SAFETY: each row has so many groups of inputs.
                    let activations = _mm256_set1_epi32(unsafe { group.read_unaligned() });
                    for half in 0..2 {
                        sums[row][half] =
                            _mm256_dpbusd_avx_epi32(sums[row][half], activations, weights[half]);
                    }
                }
            }
            for (row, sums) in products.chunks_exact_mut(outputs).skip(first_row).zip(sums) {
                let row = &mut row[first_output..][..PANEL_OUTPUTS];
                for (numbers, sum) in row.as_chunks_mut::<HALF>().0.iter_mut().zip(sums) {
                    // SAFETY: the array has room for the 8 numbers that are written.
                    unsafe { _mm256_storeu_si256(numbers.as_mut_ptr().cast::<__m256i>(), sum) };
                }
            }
        }
    }
}

/// Widens to 16 bits, since the instruction that multiplies bytes without widening clamps large sums.
///
/// # Safety
/// As `avx512_vnni`.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn avx2(rows: &[u8], matrix: &PackedMatrix, products: &mut [i32]) {
    const QUARTER: usize = PANEL_OUTPUTS / 4;
    const HALF: usize = PANEL_OUTPUTS / 2;
    let (inputs, outputs) = (matrix.inputs, matrix.outputs);
    let widened = |step: &[u8; STEP_BYTES], start: usize| {
        let bytes = step[start..][..16].as_ptr().cast::<__m128i>();
        // SAFETY: the slice has 16 bytes.
        _mm256_cvtepi8_epi16(unsafe { _mm_loadu_si128(bytes) })
    };
    let wide: Vec<i16> = rows.iter().map(|byte| i16::from(*byte)).collect();
    for (panel, weights) in matrix.weights.chunks_exact(inputs * PANEL_OUTPUTS).enumerate() {
        for half in 0..2 {
            let first_output = panel * PANEL_OUTPUTS + half * HALF;
            let starts = matrix.starts[first_output..][..HALF].as_ptr().cast::<__m256i>();
            // SAFETY: the slice has 8 starts.
            let starts = unsafe { _mm256_loadu_si256(starts) };
            for first_row in (0..rows.len() / inputs).step_by(TILE_ROWS) {
                let row_starts = tile_rows(&wide, inputs, first_row);
                let mut sums = [[_mm256_setzero_si256(); 2]; TILE_ROWS];
                for (step, weights) in weights.as_chunks::<STEP_BYTES>().0.iter().enumerate() {
                    let start = half * 2 * QUARTER * GROUP_INPUTS;
                    let weights = [widened(weights, start), widened(weights, start + 16)];
                    for row in 0..TILE_ROWS {
                        let group = row_starts[row].wrapping_add(step * GROUP_INPUTS).cast::<i64>();
                        // SAFETY: each row has so many groups of inputs.
                        let activations = _mm256_set1_epi64x(unsafe { group.read_unaligned() });
                        for quarter in 0..2 {
                            let pairs = _mm256_madd_epi16(activations, weights[quarter]);
                            sums[row][quarter] = _mm256_add_epi32(sums[row][quarter], pairs);
                        }
                    }
                }
                for (row, [low, high]) in
                    products.chunks_exact_mut(outputs).skip(first_row).zip(sums)
                {
                    // The sums of an output are next to each other; adding them mixes the quarters.
                    let mixed = _mm256_hadd_epi32(low, high);
                    let sum =
                        _mm256_add_epi32(_mm256_permute4x64_epi64::<0b11_01_10_00>(mixed), starts);
                    let numbers = row[first_output..][..HALF].as_mut_ptr();
                    // SAFETY: the slice has room for the 8 numbers that are written.
                    unsafe { _mm256_storeu_si256(numbers.cast::<__m256i>(), sum) };
                }
            }
        }
    }
}
