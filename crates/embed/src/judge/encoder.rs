//! The network of a judge: a BERT encoder and its head.

use std::ops::Range;

use heirloom_core::kernels::{AttentionScratch, Instructions, QuantisedRows, Scaled};

use super::weights::{Linear, Table};

/// The tokens of two statements.
#[derive(Debug)]
pub(super) struct Joined {
    pub(super) tokens: Vec<u32>,
    /// The position at which the second statement starts.
    pub(super) second_start: usize,
}

#[derive(Debug)]
pub(super) struct Encoder {
    pub(super) width: usize,
    pub(super) heads: usize,
    pub(super) tokens: Table,
    pub(super) positions: Vec<f32>,
    /// The vectors of the first and of the second statement.
    pub(super) sides: Vec<f32>,
    pub(super) norm: Norm,
    pub(super) layers: Vec<Layer>,
    /// The weights of the first token's output and of the mean output.
    pub(super) head: Vec<f32>,
    pub(super) head_bias: f32,
}

/// A layer: self-attention followed by a feed-forward network.
#[derive(Debug)]
pub(super) struct Layer {
    /// To queries, keys and values.
    pub(super) projection: Linear,
    pub(super) attention_output: Linear,
    pub(super) attention_norm: Norm,
    pub(super) intermediate: Linear,
    pub(super) output: Linear,
    pub(super) output_norm: Norm,
}

/// A normalisation of rows.
#[derive(Debug)]
pub(super) struct Norm {
    pub(super) weight: Vec<f32>,
    pub(super) bias: Vec<f32>,
}

/// The intermediate results of a layer.
struct Scratch {
    instructions: Instructions,
    quantised: QuantisedRows,
    products: Vec<i32>,
    numbers: Vec<f32>,
    attended: Vec<f32>,
    attention: AttentionScratch,
}

impl Encoder {
    /// Returns the log-odds for each two statements.
    pub(super) fn log_odds(&self, batch: &[Joined], instructions: Instructions) -> Vec<f32> {
        let mut ends = 0;
        let texts = batch.iter().map(|joined| {
            ends += joined.tokens.len();
            ends - joined.tokens.len()..ends
        });
        let texts: Vec<Range<usize>> = texts.collect();
        let mut state = self.embed(batch, ends);
        instructions.layer_norm(&self.norm.weight, &self.norm.bias, &mut state);
        let mut scratch = Scratch {
            instructions,
            quantised: QuantisedRows::default(),
            products: Vec::new(),
            numbers: Vec::new(),
            attended: vec![0.0; state.len()],
            attention: AttentionScratch::default(),
        };
        for layer in &self.layers {
            layer.apply(&mut state, &texts, self.heads, &mut scratch);
        }
        texts
            .iter()
            .map(|text| self.head_output(&state[text.start * self.width..text.end * self.width]))
            .collect()
    }

    /// Returns the input vectors of all tokens.
    fn embed(&self, batch: &[Joined], tokens: usize) -> Vec<f32> {
        let width = self.width;
        let mut state = vec![0.0; tokens * width];
        let mut rows = state.chunks_exact_mut(width);
        for joined in batch {
            let positions = self.positions.chunks_exact(width);
            for ((at, id), position) in joined.tokens.iter().enumerate().zip(positions) {
                let Some(row) = rows.next() else { return state };
                self.tokens.write_row(*id, row);
                let side = usize::from(at >= joined.second_start);
                let side = &self.sides[side * width..][..width];
                for ((x, position), side) in row.iter_mut().zip(position).zip(side) {
                    *x += position + side;
                }
            }
        }
        state
    }

    /// Returns the log-odds, given the outputs of the last layer.
    fn head_output(&self, state: &[f32]) -> f32 {
        let (of_first, of_mean) = self.head.split_at(self.width);
        let dot = |row: &[f32], weights: &[f32]| -> f32 {
            row.iter().zip(weights).map(|(x, weight)| x * weight).sum()
        };
        let rows = state.chunks_exact(self.width);
        let count = rows.len() as f32;
        let sum: f32 = rows.map(|row| dot(row, of_mean)).sum();
        dot(&state[..self.width], of_first) + sum / count + self.head_bias
    }
}

impl Layer {
    fn apply(
        &self,
        state: &mut [f32],
        texts: &[Range<usize>],
        heads: usize,
        scratch: &mut Scratch,
    ) {
        let width = self.attention_norm.weight.len();
        let instructions = scratch.instructions;
        scratch.multiply(state, &self.projection);
        let rows = state.len() / width;
        scratch.numbers.resize(rows * self.projection.bias.len(), 0.0);
        instructions.write_scaled(
            self.projection.scaled(&scratch.products, &scratch.quantised),
            &mut scratch.numbers,
        );
        for text in texts {
            let projected = &scratch.numbers[text.start * 3 * width..text.end * 3 * width];
            let attended = &mut scratch.attended[text.start * width..text.end * width];
            instructions.attend(projected, width, heads, attended, &mut scratch.attention);
        }
        instructions.quantise(&scratch.attended, width, &mut scratch.quantised);
        scratch.add_product(state, &self.attention_output, &self.attention_norm);
        scratch.multiply(state, &self.intermediate);
        let inner_width = self.intermediate.bias.len();
        scratch.numbers.resize(rows * inner_width, 0.0);
        instructions.write_activated(
            self.intermediate.scaled(&scratch.products, &scratch.quantised),
            &mut scratch.numbers,
        );
        instructions.quantise(&scratch.numbers, inner_width, &mut scratch.quantised);
        scratch.add_product(state, &self.output, &self.output_norm);
    }
}

impl Scratch {
    /// Quantises a state and multiplies it.
    fn multiply(&mut self, state: &[f32], linear: &Linear) {
        self.instructions.quantise(state, linear.matrix.inputs(), &mut self.quantised);
        self.instructions.multiply(&self.quantised, &linear.matrix, &mut self.products);
    }

    /// Adds the product of what was quantised to a state, and normalises it.
    fn add_product(&mut self, state: &mut [f32], linear: &Linear, norm: &Norm) {
        self.instructions.multiply(&self.quantised, &linear.matrix, &mut self.products);
        let scaled = linear.scaled(&self.products, &self.quantised);
        self.instructions.add_and_normalise(scaled, &norm.weight, &norm.bias, state);
    }
}

impl Linear {
    fn scaled<'a>(&'a self, products: &'a [i32], quantised: &'a QuantisedRows) -> Scaled<'a> {
        Scaled { products, rows: quantised.scales(), outputs: &self.scales, bias: &self.bias }
    }
}
