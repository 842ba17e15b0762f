//! The products of matrices with the dot products of ARM processors.

use std::arch::aarch64::{
    int8x16_t, int32x4_t, vdupq_n_s32, vdupq_n_u8, veorq_u8, vld1q_s8, vld1q_u8,
    vreinterpretq_s8_u8, vst1q_s32,
};

use super::matrix::{GROUP_INPUTS, PANEL_OUTPUTS, PackedMatrix, STEP_BYTES};

/// The rows of a tile.
const TILE_ROWS: usize = 4;

/// The vectors of sums for the outputs of a panel.
const VECTORS: usize = PANEL_OUTPUTS / 4;

/// The inputs that a vector of activations has.
const VECTOR_INPUTS: usize = 16;

/// Adds the dot products of four outputs with a group of activations. The intrinsic for it is not in a stable release.
macro_rules! add_dot_products {
    ($sum:expr, $weights:expr, $activations:expr, $group:literal) => {{
        let mut sum: int32x4_t = $sum;
        // SAFETY: the instruction changes its first register alone, and callers have the feature.
        unsafe {
            std::arch::asm!(
                concat!("sdot {0:v}.4s, {1:v}.16b, {2:v}.4b[", $group, "]"),
                inout(vreg) sum,
                in(vreg) $weights,
                in(vreg) $activations,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        sum
    }};
}

/// # Safety
/// The processor has the feature; `rows` and `products` are whole rows of the matrix's inputs and outputs, and of as many.
#[target_feature(enable = "neon,dotprod")]
pub(super) unsafe fn dot_product(rows: &[u8], matrix: &PackedMatrix, products: &mut [i32]) {
    let (inputs, outputs) = (matrix.inputs, matrix.outputs);
    let last = rows.len() / inputs - 1;
    let sign = vdupq_n_u8(0x80);
    for (panel, weights) in matrix.weights.chunks_exact(inputs * PANEL_OUTPUTS).enumerate() {
        for first_row in (0..=last).step_by(TILE_ROWS) {
            let mut sums = [[vdupq_n_s32(0); VECTORS]; TILE_ROWS];
            for (block, weights) in weights.chunks_exact(STEP_BYTES * 4).enumerate() {
                let activations: [int8x16_t; TILE_ROWS] = std::array::from_fn(|row| {
                    let start = (first_row + row).min(last) * inputs + block * VECTOR_INPUTS;
                    let bytes = rows[start..][..VECTOR_INPUTS].as_ptr();
                    // SAFETY: the slice has 16 bytes. Without the offset they are signed.
                    vreinterpretq_s8_u8(veorq_u8(unsafe { vld1q_u8(bytes) }, sign))
                });
                macro_rules! add_group {
                    ($group:literal) => {
                        let weights = &weights[$group * STEP_BYTES..][..STEP_BYTES];
                        for vector in 0..VECTORS {
                            let bytes = weights[vector * 4 * GROUP_INPUTS..][..16].as_ptr();
                            // SAFETY: the slice has 16 bytes.
                            let weights = unsafe { vld1q_s8(bytes.cast()) };
                            for row in 0..TILE_ROWS {
                                sums[row][vector] = add_dot_products!(
                                    sums[row][vector],
                                    weights,
                                    activations[row],
                                    $group
                                );
                            }
                        }
                    };
                }
                add_group!(0);
                add_group!(1);
                add_group!(2);
                add_group!(3);
            }
            for (row, sums) in products.chunks_exact_mut(outputs).skip(first_row).zip(sums) {
                let row = &mut row[panel * PANEL_OUTPUTS..][..PANEL_OUTPUTS];
                for (numbers, sum) in row.as_chunks_mut::<4>().0.iter_mut().zip(sums) {
                    // SAFETY: the array has room for the 4 numbers that are written.
                    unsafe { vst1q_s32(numbers.as_mut_ptr(), sum) };
                }
            }
        }
    }
}
