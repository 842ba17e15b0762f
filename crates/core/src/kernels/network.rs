//! The loops of a neural network between its products of matrices. The order of float additions is the same for all
//! instruction sets.

use super::Instructions;
use super::instructions::vectorised;

/// The number of partial sums.
const LANES: usize = 16;

/// A product of matrices, and what its numbers still lack.
#[derive(Debug)]
pub struct Product<'a> {
    /// The product, row by row.
    pub numbers: &'a mut [f32],
    /// The factor of each row.
    pub scales: &'a [f32],
    /// What is added to each column.
    pub bias: &'a [f32],
}

vectorised! {
    /// Completes a product.
    pub fn complete(product: Product<'_>) {
        complete_with(product, |x| x);
    }
}

vectorised! {
    /// Completes a product and applies the activation function.
    pub fn complete_and_activate(product: Product<'_>) {
        complete_with(product, gelu);
    }
}

#[inline(always)]
fn complete_with(product: Product<'_>, activation: impl Fn(f32) -> f32) {
    let Product { numbers, scales, bias } = product;
    for (row, scale) in numbers.chunks_exact_mut(bias.len()).zip(scales) {
        for (x, bias) in row.iter_mut().zip(bias) {
            *x = activation(*x * scale + bias);
        }
    }
}

vectorised! {
    /// Completes a product, adds it to a state and normalises each row of it.
    pub fn add_and_normalise(product: Product<'_>, weight: &[f32], bias: &[f32], state: &mut [f32]) {
        let width = weight.len();
        let product_bias = &product.bias[..width];
        let numbers = product.numbers.chunks_exact(width);
        for ((row, numbers), scale) in state.chunks_exact_mut(width).zip(numbers).zip(product.scales) {
            for ((x, number), bias) in row.iter_mut().zip(numbers).zip(product_bias) {
                *x += number * scale + bias;
            }
            normalise_row(row, weight, bias);
        }
    }
}

vectorised! {
    /// Adds the same numbers to each row of a state and normalises it.
    pub fn add_bias_and_normalise(more: &[f32], weight: &[f32], bias: &[f32], state: &mut [f32]) {
        for row in state.chunks_exact_mut(weight.len()) {
            for (x, more) in row.iter_mut().zip(more) {
                *x += more;
            }
            normalise_row(row, weight, bias);
        }
    }
}

vectorised! {
    /// Normalises each row of a state to a mean of zero and a variance of one, and then scales and shifts each column.
    pub fn layer_norm(weight: &[f32], bias: &[f32], state: &mut [f32]) {
        for row in state.chunks_exact_mut(weight.len()) {
            normalise_row(row, weight, bias);
        }
    }
}

/// What is added to a variance, as in MPNet.
const EPSILON: f32 = 1e-5;

#[inline(always)]
fn normalise_row(row: &mut [f32], weight: &[f32], bias: &[f32]) {
    let width = row.len();
    let mean = sum_of(row, |x| x) / width as f32;
    let variance = sum_of(row, |x| (x - mean) * (x - mean)) / width as f32;
    let scale = 1.0 / (variance + EPSILON).sqrt();
    let (weight, bias) = (&weight[..width], &bias[..width]);
    for (column, x) in row.iter_mut().enumerate() {
        *x = (*x - mean) * scale * weight[column] + bias[column];
    }
}

/// Returns the sum of a function of each number.
#[inline(always)]
fn sum_of(row: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let (chunks, rest) = row.as_chunks::<LANES>();
    let mut sums = [0.0_f32; LANES];
    for chunk in chunks {
        sums.iter_mut().zip(chunk).for_each(|(sum, x)| *sum += of(*x));
    }
    sums.iter().sum::<f32>() + rest.iter().map(|x| of(*x)).sum::<f32>()
}

/// Beyond this the normal distribution is taken for 0 or 1.
const GELU_LIMIT: f32 = 4.2;

/// A polynomial in the square of a number, fitted to (Φ(x) - ½) / x, the highest power first.
const GELU_COEFFICIENTS: [f32; 8] = [
    -9.410_352e-10,
    8.198_415e-8,
    -3.105_617e-6,
    6.780_696e-5,
    -9.574_092_7e-4,
    9.324_527e-3,
    -6.557_605e-2,
    3.984_947_5e-1,
];

/// The activation function, xΦ(x), within 0.0004.
#[inline(always)]
fn gelu(x: f32) -> f32 {
    let near = if x > GELU_LIMIT { GELU_LIMIT } else { x };
    let near = if near < -GELU_LIMIT { -GELU_LIMIT } else { near };
    let square = near * near;
    let mut series = 0.0_f32;
    for coefficient in GELU_COEFFICIENTS {
        series = series.mul_add(square, coefficient);
    }
    x * (0.5 + near * series)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gelu_is_near_the_exact_function() {
        // From the error function to seven digits.
        for (x, exact) in [
            (-20.0, 0.0),
            (-5.0, -1.433e-6),
            (-3.0, -0.004_049_69),
            (-1.0, -0.158_655_25),
            (-0.1, -0.046_017_22),
            (0.0, 0.0),
            (0.5, 0.345_731_23),
            (1.5, 1.399_789_2),
            (4.3, 4.299_963_3),
            (12.0, 12.0),
        ] {
            assert!((gelu(x) - exact).abs() < 5e-4, "{x}: {} instead of {exact}", gelu(x));
        }
    }
}
