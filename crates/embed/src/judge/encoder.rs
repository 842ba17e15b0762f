//! The network of a judge: an MPNet encoder and its head.

use std::ops::Range;

use heirloom_core::kernels::{
    AttentionScratch, HEAD_WIDTH, Heads, Instructions, PackedMatrix, Panel, Product, QuantisedRows,
};

use super::words::Words;

#[derive(Debug)]
pub(super) struct Encoder {
    pub(super) width: usize,
    pub(super) words: Words,
    pub(super) positions: Vec<f32>,
    pub(super) norm: Norm,
    pub(super) layers: Vec<Layer>,
    /// The weights of the first token's output and of the mean output.
    pub(super) head: Vec<f32>,
    pub(super) head_bias: f32,
}

/// A layer: self-attention followed by a feed-forward network.
#[derive(Debug)]
pub(super) struct Layer {
    pub(super) attention: Option<Attention>,
    /// Added to the state even where there is no attention.
    pub(super) attention_bias: Vec<f32>,
    pub(super) attention_norm: Norm,
    pub(super) feed_forward: Option<FeedForward>,
    /// Added to the state even where there is no feed-forward network.
    pub(super) output_bias: Vec<f32>,
    pub(super) output_norm: Norm,
}

#[derive(Debug)]
pub(super) struct Attention {
    pub(super) heads: usize,
    /// To the queries, the keys and the values of all heads.
    pub(super) projection: Linear,
    /// What is added to the scores of each head by distance, as [`Heads`] has it.
    pub(super) distance_biases: Vec<f32>,
    pub(super) output: PackedMatrix,
}

#[derive(Debug)]
pub(super) struct FeedForward {
    pub(super) intermediate: Linear,
    pub(super) output: PackedMatrix,
}

#[derive(Debug)]
pub(super) struct Linear {
    pub(super) matrix: PackedMatrix,
    pub(super) bias: Vec<f32>,
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
    panel: Panel,
    numbers: Vec<f32>,
    attended: Vec<f32>,
    attention: AttentionScratch,
}

impl Encoder {
    /// Returns the log-odds for the tokens of each two joined statements.
    pub(super) fn log_odds(&self, batch: &[Vec<u32>], instructions: Instructions) -> Vec<f32> {
        let mut ends = 0;
        let texts = batch.iter().map(|tokens| {
            ends += tokens.len();
            ends - tokens.len()..ends
        });
        let texts: Vec<Range<usize>> = texts.collect();
        let mut state = self.embed(batch, ends);
        instructions.layer_norm(&self.norm.weight, &self.norm.bias, &mut state);
        let mut scratch = Scratch {
            instructions,
            quantised: QuantisedRows::default(),
            panel: Panel::default(),
            numbers: Vec::new(),
            attended: Vec::new(),
            attention: AttentionScratch::default(),
        };
        for layer in &self.layers {
            layer.apply(&mut state, &texts, &mut scratch);
        }
        texts
            .iter()
            .map(|text| self.head_output(&state[text.start * self.width..text.end * self.width]))
            .collect()
    }

    /// Returns the input vectors of all tokens.
    fn embed(&self, batch: &[Vec<u32>], tokens: usize) -> Vec<f32> {
        let width = self.width;
        let mut state = vec![0.0; tokens * width];
        let mut rows = state.chunks_exact_mut(width);
        for text in batch {
            for (id, position) in text.iter().zip(self.positions.chunks_exact(width)) {
                let Some(row) = rows.next() else { return state };
                self.words.write_vector(*id, row);
                for (x, position) in row.iter_mut().zip(position) {
                    *x += position;
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
    fn apply(&self, state: &mut [f32], texts: &[Range<usize>], scratch: &mut Scratch) {
        if let Some(attention) = &self.attention {
            attention.apply(state, texts, scratch);
            let (bias, norm) = (&self.attention_bias, &self.attention_norm);
            scratch.add_product(state, &attention.output, bias, norm);
        } else {
            scratch.add_bias(state, &self.attention_bias, &self.attention_norm);
        }
        if let Some(feed_forward) = &self.feed_forward {
            feed_forward.apply(state, scratch);
            let (bias, norm) = (&self.output_bias, &self.output_norm);
            scratch.add_product(state, &feed_forward.output, bias, norm);
        } else {
            scratch.add_bias(state, &self.output_bias, &self.output_norm);
        }
    }
}

impl Attention {
    /// Leaves what all heads return, quantised.
    fn apply(&self, state: &[f32], texts: &[Range<usize>], scratch: &mut Scratch) {
        let instructions = scratch.instructions;
        instructions.complete(scratch.multiply(state, &self.projection));
        let width = self.heads * HEAD_WIDTH;
        let rows = scratch.numbers.len() / (3 * width);
        scratch.attended.resize(rows * width, 0.0);
        let heads = Heads { count: self.heads, biases: &self.distance_biases };
        for text in texts {
            let projected = &scratch.numbers[text.start * 3 * width..text.end * 3 * width];
            let attended = &mut scratch.attended[text.start * width..text.end * width];
            instructions.attend(projected, heads, attended, &mut scratch.attention);
        }
        instructions.quantise(&scratch.attended, width, &mut scratch.quantised);
    }
}

impl FeedForward {
    /// Leaves the numbers between the two products, quantised.
    fn apply(&self, state: &[f32], scratch: &mut Scratch) {
        let instructions = scratch.instructions;
        instructions.complete_and_activate(scratch.multiply(state, &self.intermediate));
        instructions.quantise(&scratch.numbers, self.output.inputs(), &mut scratch.quantised);
    }
}

impl Scratch {
    /// Quantises a state and multiplies it.
    fn multiply<'a>(&'a mut self, state: &[f32], linear: &'a Linear) -> Product<'a> {
        self.instructions.quantise(state, linear.matrix.inputs(), &mut self.quantised);
        self.multiply_quantised(&linear.matrix, &linear.bias)
    }

    fn multiply_quantised<'a>(&'a mut self, matrix: &PackedMatrix, bias: &'a [f32]) -> Product<'a> {
        let Scratch { instructions, quantised, numbers, panel, .. } = self;
        instructions.multiply(quantised, matrix, numbers, panel);
        Product { numbers, scales: quantised.scales(), bias }
    }

    /// Adds the product of what was quantised to a state, and normalises it.
    fn add_product(&mut self, state: &mut [f32], matrix: &PackedMatrix, bias: &[f32], norm: &Norm) {
        let instructions = self.instructions;
        let product = self.multiply_quantised(matrix, bias);
        instructions.add_and_normalise(product, &norm.weight, &norm.bias, state);
    }

    /// Adds a bias to a state, and normalises it.
    fn add_bias(&self, state: &mut [f32], bias: &[f32], norm: &Norm) {
        self.instructions.add_bias_and_normalise(bias, &norm.weight, &norm.bias, state);
    }
}
