//! The products of matrices with the dot products of ARM processors.

use std::arch::aarch64::{
    int8x16_t, int32x4_t, vcombine_u8, vcvtq_f32_s32, vdup_n_u8, vdupq_n_s32, vdupq_n_u8, veorq_u8,
    vfmaq_f32, vld1_u8, vld1q_f32, vld1q_s8, vld1q_s32, vld1q_u8, vreinterpretq_s8_u8, vshlq_n_s32,
    vst1q_f32,
};

use super::matrix::{GROUP_STEPS, PANEL_OUTPUTS, Panel, STEP_INPUTS, TILE_ROWS, TileStep};

/// The outputs of a vector.
const LANES: usize = 4;

/// The vectors of outputs whose products stay in registers: 24 of 32 with the rows of a tile.
const VECTORS: usize = 4;

/// Adds the dot products of four outputs with the activations of a row. The intrinsic for it is not in a stable release.
macro_rules! add_dot_products {
    ($sum:expr, $weights:expr, $activations:expr, $row:literal) => {{
        let mut sum: int32x4_t = $sum;
        // SAFETY: the instruction changes its first register alone, and callers have the feature.
        unsafe {
            std::arch::asm!(
                concat!("sdot {0:v}.4s, {1:v}.16b, {2:v}.4b[", $row, "]"),
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
/// The processor has the feature; tile and panel have as many steps.
#[target_feature(enable = "neon,dotprod")]
pub(super) unsafe fn dot_product(tile: &[TileStep], panel: &Panel, out: &mut [f32], stride: usize) {
    let mut tile_sums = [panel.start; TILE_ROWS];
    let sign = vdupq_n_u8(0x80);
    let tile = tile.as_chunks::<GROUP_STEPS>().0;
    let steps = panel.steps.as_chunks::<GROUP_STEPS>().0;
    for first in (0..PANEL_OUTPUTS).step_by(LANES * VECTORS) {
        for ((group, tile), steps) in panel.groups.iter().zip(tile).zip(steps) {
            // The activations have no offset here, but the products must have it, as on other processors.
            let mut starts = [vdupq_n_s32(0); VECTORS];
            for (vector, start) in starts.iter_mut().enumerate() {
                let sums = group.weight_sums[first + vector * LANES..][..LANES].as_ptr();
                // SAFETY: the slice has 4 numbers.
                *start = vshlq_n_s32::<7>(unsafe { vld1q_s32(sums) });
            }
            let mut products = starts.map(|start| [start; TILE_ROWS]);
            for (activations, weights) in tile.iter().zip(steps) {
                let bytes = activations.as_flattened();
                // SAFETY: a step has 4 bytes of each of 6 rows.
                let (front, back) =
                    unsafe { (vld1q_u8(bytes[..16].as_ptr()), vld1_u8(bytes[16..24].as_ptr())) };
                let back = vcombine_u8(back, vdup_n_u8(0));
                let front: int8x16_t = vreinterpretq_s8_u8(veorq_u8(front, sign));
                let back: int8x16_t = vreinterpretq_s8_u8(veorq_u8(back, sign));
                for (vector, products) in products.iter_mut().enumerate() {
                    let weights = &weights.0[(first + vector * LANES) * STEP_INPUTS..];
                    // SAFETY: the slice has 16 bytes.
                    let weights = unsafe { vld1q_s8(weights[..LANES * STEP_INPUTS].as_ptr()) };
                    macro_rules! add_row {
                        ($row:literal, $activations:expr, $lane:literal) => {
                            products[$row] =
                                add_dot_products!(products[$row], weights, $activations, $lane);
                        };
                    }
                    add_row!(0, front, 0);
                    add_row!(1, front, 1);
                    add_row!(2, front, 2);
                    add_row!(3, front, 3);
                    add_row!(4, back, 0);
                    add_row!(5, back, 1);
                }
            }
            for (vector, products) in products.into_iter().enumerate() {
                let output = first + vector * LANES;
                // SAFETY: the slice has 4 numbers.
                let factors = unsafe { vld1q_f32(group.factors[output..][..LANES].as_ptr()) };
                for (sums, product) in tile_sums.iter_mut().zip(products) {
                    let sum = sums[output..][..LANES].as_mut_ptr();
                    let total = vcvtq_f32_s32(product);
                    // SAFETY: the slice has 4 numbers.
                    unsafe { vst1q_f32(sum, vfmaq_f32(vld1q_f32(sum), total, factors)) };
                }
            }
        }
    }
    for (row, sums) in out.chunks_mut(stride).zip(&tile_sums) {
        row[..PANEL_OUTPUTS].copy_from_slice(sums);
    }
}
