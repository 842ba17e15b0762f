//! The loops of a neural network between its products of matrices. The order of float additions is the same for all
//! instruction sets.

use super::Instructions;
use super::instructions::vectorised;

/// The number of partial sums.
const LANES: usize = 16;

/// What turns the product of quantised matrices into numbers.
#[derive(Debug, Clone, Copy)]
pub struct Scaled<'a> {
    /// The product.
    pub products: &'a [i32],
    /// The factor of each row.
    pub rows: &'a [f32],
    /// The factor of each output.
    pub outputs: &'a [f32],
    /// What is added to each output.
    pub bias: &'a [f32],
}

impl<'a> Scaled<'a> {
    /// Returns the products and the factor of each row.
    #[inline(always)]
    fn rows(self) -> impl Iterator<Item = (&'a [i32], f32)> {
        self.products.chunks_exact(self.outputs.len()).zip(self.rows.iter().copied())
    }

    /// Returns a number of a row.
    #[inline(always)]
    fn number(self, products: &[i32], scale: f32, output: usize) -> f32 {
        products[output] as f32 * (scale * self.outputs[output]) + self.bias[output]
    }
}

vectorised! {
    /// Writes the numbers of a product.
    pub fn write_scaled(scaled: Scaled<'_>, out: &mut [f32]) {
        let width = scaled.outputs.len();
        let bias = &scaled.bias[..width];
        let scaled = Scaled { bias, ..scaled };
        for (row, (products, scale)) in out.chunks_exact_mut(width).zip(scaled.rows()) {
            let products = &products[..width];
            for (output, x) in row[..width].iter_mut().enumerate() {
                *x = scaled.number(products, scale, output);
            }
        }
    }
}

vectorised! {
    /// Writes the numbers of a product after the activation function.
    pub fn write_activated(scaled: Scaled<'_>, out: &mut [f32]) {
        let width = scaled.outputs.len();
        let bias = &scaled.bias[..width];
        let scaled = Scaled { bias, ..scaled };
        for (row, (products, scale)) in out.chunks_exact_mut(width).zip(scaled.rows()) {
            let products = &products[..width];
            for (output, x) in row[..width].iter_mut().enumerate() {
                *x = gelu(scaled.number(products, scale, output));
            }
        }
    }
}

vectorised! {
    /// Adds the numbers of a product to a state, and normalises each row of it.
    pub fn add_and_normalise(scaled: Scaled<'_>, weight: &[f32], bias: &[f32], state: &mut [f32]) {
        let width = scaled.outputs.len();
        let scaled = Scaled { bias: &scaled.bias[..width], ..scaled };
        for (row, (products, scale)) in state.chunks_exact_mut(width).zip(scaled.rows()) {
            let products = &products[..width];
            for (output, x) in row[..width].iter_mut().enumerate() {
                *x += scaled.number(products, scale, output);
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

/// What is added to a variance, as in BERT.
const EPSILON: f32 = 1e-12;

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

/// The activation function of BERT, xΦ(x), within 0.0004.
#[inline(always)]
fn gelu(x: f32) -> f32 {
    let near = if x > GELU_LIMIT { GELU_LIMIT } else { x };
    let near = if near < -GELU_LIMIT { -GELU_LIMIT } else { near };
    let square = near * near;
    let mut series = 0.0;
    for coefficient in GELU_COEFFICIENTS {
        series = series * square + coefficient;
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
