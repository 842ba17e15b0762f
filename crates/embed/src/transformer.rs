//! A sentence transformer of the BERT family from a local folder, as they are published:
//! `config.json`, `vocab.txt` and `model.safetensors`. A text's vector is the mean of the last
//! layer over its tokens.

use std::collections::HashMap;

use heirloom_core::embedding::{EmbedError, Embedder, normalise};
use serde::Deserialize;

use crate::Vocabulary;
use crate::tensors::{self, Tensor};

/// Longer texts are cut: sentence transformers were not trained on them.
const LONGEST: usize = 256;

/// The files of a model.
#[derive(Debug)]
pub struct Files {
    /// `config.json`.
    pub config: String,
    /// `vocab.txt`.
    pub vocabulary: String,
    /// `model.safetensors`.
    pub weights: Vec<u8>,
}

/// A sentence transformer.
#[derive(Debug)]
pub struct Transformer {
    name: String,
    config: Config,
    vocabulary: Vocabulary,
    special: Special,
    words: Tensor,
    positions: Tensor,
    sort: Tensor,
    first_norm: Norm,
    layers: Vec<Layer>,
}

#[derive(Debug, Deserialize)]
struct Config {
    hidden_size: usize,
    num_attention_heads: usize,
    num_hidden_layers: usize,
    max_position_embeddings: usize,
    #[serde(default = "usual_epsilon")]
    layer_norm_eps: f32,
    #[serde(default = "usual_activation")]
    hidden_act: String,
    #[serde(default)]
    model_type: String,
}

fn usual_epsilon() -> f32 {
    1e-12
}

fn usual_activation() -> String {
    "gelu".to_owned()
}

/// The ids of the tokens that stand for no piece of text.
#[derive(Debug, Clone, Copy)]
struct Special {
    start: u32,
    end: u32,
    unknown: u32,
}

#[derive(Debug)]
struct Layer {
    query: Linear,
    key: Linear,
    value: Linear,
    out: Linear,
    attention_norm: Norm,
    up: Linear,
    down: Linear,
    output_norm: Norm,
}

#[derive(Debug)]
struct Linear {
    weight: Tensor,
    bias: Vec<f32>,
}

#[derive(Debug)]
struct Norm {
    weight: Vec<f32>,
    bias: Vec<f32>,
    epsilon: f32,
}

impl Transformer {
    /// Reads a model.
    pub fn read(files: &Files) -> Result<Self, EmbedError> {
        Self::of(files).map_err(|what| {
            EmbedError::new(
                format!("the embedder's model cannot be used: {what}"),
                "use a sentence transformer of the BERT family: config.json, vocab.txt, model.safetensors",
            )
        })
    }

    fn of(files: &Files) -> Result<Self, String> {
        let config: Config =
            serde_json::from_str(&files.config).map_err(|error| format!("config.json: {error}"))?;
        if !matches!(config.model_type.as_str(), "" | "bert") || config.hidden_act != "gelu" {
            let (sort, act) = (&config.model_type, &config.hidden_act);
            return Err(format!("config.json: a model of the sort `{sort}` with `{act}`"));
        }
        if config.num_attention_heads == 0
            || !config.hidden_size.is_multiple_of(config.num_attention_heads)
        {
            return Err("config.json: the heads do not share the hidden size".to_owned());
        }
        let too_small = config.hidden_size == 0 || config.max_position_embeddings < 2;
        if too_small {
            return Err("config.json: the hidden size or the positions are too few".to_owned());
        }
        // Whatever decides on the vectors tells this embedder from others.
        let mut hasher = blake3::Hasher::new();
        for part in [files.config.as_bytes(), files.vocabulary.as_bytes(), &files.weights] {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        let hash = hasher.update(&LONGEST.to_le_bytes()).finalize();
        let mut weights = Weights(
            tensors::read(&files.weights).map_err(|what| format!("model.safetensors: {what}"))?,
        );
        let mut vocabulary = files.vocabulary.replace("\r\n", "\n");
        if !vocabulary.ends_with('\n') {
            vocabulary.push('\n');
        }
        let vocabulary = Vocabulary::new(vocabulary);
        let special = |token: &str| {
            vocabulary.id(token).ok_or_else(|| format!("vocab.txt: there is no {token}"))
        };
        let special = Special {
            start: special("[CLS]")?,
            end: special("[SEP]")?,
            unknown: special("[UNK]")?,
        };
        let layers = (0..config.num_hidden_layers).map(|at| weights.layer(at, &config));
        let layers = layers.collect::<Result<_, _>>()?;
        let width = config.hidden_size;
        let words = weights.matrix("embeddings.word_embeddings.weight", vocabulary.len(), width)?;
        Ok(Transformer {
            name: format!("transformer-{}", &hash.to_hex()[..16]),
            words,
            positions: weights.matrix(
                "embeddings.position_embeddings.weight",
                config.max_position_embeddings,
                width,
            )?,
            sort: weights.matrix("embeddings.token_type_embeddings.weight", 1, width)?,
            first_norm: weights.norm("embeddings.LayerNorm", &config)?,
            layers,
            special,
            vocabulary,
            config,
        })
    }

    fn tokens(&self, text: &str) -> Vec<u32> {
        let most = LONGEST.min(self.config.max_position_embeddings) - 1;
        let mut ids = vec![self.special.start];
        self.vocabulary.for_each_word_pieces(text, |pieces| match pieces {
            [] => ids.push(self.special.unknown),
            pieces => ids.extend_from_slice(pieces),
        });
        ids.truncate(most);
        ids.push(self.special.end);
        ids
    }

    /// Returns the vector of a text.
    pub fn vector(&self, text: &str) -> Vec<f32> {
        let width = self.config.hidden_size;
        let mut mean = vec![0.0; width];
        if text.trim().is_empty() {
            return mean;
        }
        let tokens = self.tokens(text);
        let mut state = Vec::with_capacity(tokens.len() * width);
        for (at, id) in tokens.iter().enumerate() {
            let parts = [self.words.row(*id as usize), self.positions.row(at), self.sort.row(0)];
            state.extend((0..width).map(|x| parts[0][x] + parts[1][x] + parts[2][x]));
        }
        self.first_norm.apply(&mut state);
        for layer in &self.layers {
            layer.apply(&mut state, tokens.len(), self.config.num_attention_heads);
        }
        for row in state.chunks_exact(width) {
            mean.iter_mut().zip(row).for_each(|(mean, x)| *mean += x);
        }
        normalise(&mut mean);
        mean
    }
}

impl Embedder for Transformer {
    fn name(&self) -> &str {
        &self.name
    }

    fn dimensions(&self) -> usize {
        self.config.hidden_size
    }

    fn embed(&self, texts: &[&str], take: &mut dyn FnMut(&[f32])) -> Result<(), EmbedError> {
        texts.iter().for_each(|text| take(&self.vector(text)));
        Ok(())
    }
}

/// The weights of a file, taken one by one.
struct Weights(HashMap<String, Tensor>);

impl Weights {
    fn matrix(&mut self, name: &str, rows: usize, columns: usize) -> Result<Tensor, String> {
        // Some are published within a larger model.
        let found = self.0.remove(name).or_else(|| self.0.remove(&format!("bert.{name}")));
        let found = found.ok_or_else(|| format!("model.safetensors: there is no `{name}`"))?;
        if found.columns != columns || found.rows < rows {
            return Err(format!(
                "model.safetensors: `{name}` is {} × {}, not {rows} × {columns}",
                found.rows, found.columns
            ));
        }
        Ok(found)
    }

    fn linear(&mut self, name: &str, from: usize, to: usize) -> Result<Linear, String> {
        let weight = self.matrix(&format!("{name}.weight"), to, from)?;
        let bias = self.matrix(&format!("{name}.bias"), 1, to)?.numbers;
        Ok(Linear { weight, bias })
    }

    fn norm(&mut self, name: &str, config: &Config) -> Result<Norm, String> {
        let width = config.hidden_size;
        Ok(Norm {
            weight: self.matrix(&format!("{name}.weight"), 1, width)?.numbers,
            bias: self.matrix(&format!("{name}.bias"), 1, width)?.numbers,
            epsilon: config.layer_norm_eps,
        })
    }

    fn layer(&mut self, at: usize, config: &Config) -> Result<Layer, String> {
        let name = |part: &str| format!("encoder.layer.{at}.{part}");
        let width = config.hidden_size;
        let up = name("intermediate.dense");
        let inner = self
            .0
            .get(&format!("{up}.weight"))
            .or_else(|| self.0.get(&format!("bert.{up}.weight")))
            .map_or(width * 4, |weight| weight.rows);
        Ok(Layer {
            query: self.linear(&name("attention.self.query"), width, width)?,
            key: self.linear(&name("attention.self.key"), width, width)?,
            value: self.linear(&name("attention.self.value"), width, width)?,
            out: self.linear(&name("attention.output.dense"), width, width)?,
            attention_norm: self.norm(&name("attention.output.LayerNorm"), config)?,
            up: self.linear(&up, width, inner)?,
            down: self.linear(&name("output.dense"), inner, width)?,
            output_norm: self.norm(&name("output.LayerNorm"), config)?,
        })
    }
}

impl Tensor {
    fn row(&self, at: usize) -> &[f32] {
        &self.numbers[at * self.columns..][..self.columns]
    }
}

impl Linear {
    /// Multiplies each row of a state with the weights and adds the bias.
    fn apply(&self, state: &[f32]) -> Vec<f32> {
        let (from, to) = (self.weight.columns, self.bias.len());
        let rows = state.len() / from;
        let mut out: Vec<f32> = self.bias.iter().copied().cycle().take(rows * to).collect();
        product(state, (from, 1), &self.weight.numbers, (1, from), &mut out, [rows, from, to]);
        out
    }
}

/// Adds the product of two matrices to a third. A matrix has a step from row to row and one from
/// column to column; the sizes are rows, what is summed over, and columns.
fn product(
    a: &[f32],
    a_steps: (usize, usize),
    b: &[f32],
    b_steps: (usize, usize),
    out: &mut [f32],
    [rows, inner, columns]: [usize; 3],
) {
    let last = |(row, column): (usize, usize), rows: usize, columns: usize| {
        (rows.max(1) - 1) * row + (columns.max(1) - 1) * column
    };
    assert!(
        last(a_steps, rows, inner) < a.len()
            && last(b_steps, inner, columns) < b.len()
            && rows * columns <= out.len(),
        "the matrices are as large as is said"
    );
    let step = |steps: (usize, usize)| (steps.0 as isize, steps.1 as isize);
    let ((a_row, a_column), (b_row, b_column)) = (step(a_steps), step(b_steps));
    // SAFETY: every place that the sizes and steps reach lies within the slices, as just checked.
    unsafe {
        matrixmultiply::sgemm(
            rows,
            inner,
            columns,
            1.0,
            a.as_ptr(),
            a_row,
            a_column,
            b.as_ptr(),
            b_row,
            b_column,
            1.0,
            out.as_mut_ptr(),
            columns as isize,
            1,
        );
    }
}

impl Norm {
    fn apply(&self, state: &mut [f32]) {
        let width = self.weight.len();
        for row in state.chunks_exact_mut(width) {
            let mean = row.iter().sum::<f32>() / width as f32;
            let spread = row.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / width as f32;
            let scale = 1.0 / (spread + self.epsilon).sqrt();
            for (at, x) in row.iter_mut().enumerate() {
                *x = (*x - mean) * scale * self.weight[at] + self.bias[at];
            }
        }
    }
}

impl Layer {
    fn apply(&self, state: &mut [f32], tokens: usize, heads: usize) {
        let width = state.len() / tokens;
        let size = width / heads;
        let [query, key, value] =
            [&self.query, &self.key, &self.value].map(|part| part.apply(state));
        let mut seen = vec![0.0; state.len()];
        let mut head_out = vec![0.0; tokens * size];
        for head in 0..heads {
            let start = head * size;
            let mut weights = vec![0.0; tokens * tokens];
            let sizes = [tokens, size, tokens];
            product(&query[start..], (width, 1), &key[start..], (1, width), &mut weights, sizes);
            for row in weights.chunks_exact_mut(tokens) {
                softmax(row, 1.0 / (size as f32).sqrt());
            }
            head_out.fill(0.0);
            let sizes = [tokens, tokens, size];
            product(&weights, (tokens, 1), &value[start..], (width, 1), &mut head_out, sizes);
            for (row, own) in seen.chunks_exact_mut(width).zip(head_out.chunks_exact(size)) {
                row[start..start + size].copy_from_slice(own);
            }
        }
        let seen_out = self.out.apply(&seen);
        add(&mut seen, &seen_out, state);
        self.attention_norm.apply(&mut seen);
        let mut inner = self.up.apply(&seen);
        inner.iter_mut().for_each(|x| *x = gelu(*x));
        add(state, &self.down.apply(&inner), &seen);
        self.output_norm.apply(state);
    }
}

/// Puts the sum of two states in the place of a third.
fn add(out: &mut [f32], a: &[f32], b: &[f32]) {
    out.iter_mut().zip(a.iter().zip(b)).for_each(|(out, (a, b))| *out = a + b);
}

fn softmax(row: &mut [f32], scale: f32) {
    let most = row.iter().fold(f32::NEG_INFINITY, |most, x| most.max(*x));
    row.iter_mut().for_each(|x| *x = ((*x - most) * scale).exp());
    let sum: f32 = row.iter().sum();
    row.iter_mut().for_each(|x| *x /= sum);
}

fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + erf(x / std::f32::consts::SQRT_2))
}

/// The error function, to seven digits (Abramowitz and Stegun, 7.1.26).
fn erf(x: f32) -> f32 {
    let t = 1.0 / (1.0 + 0.327_591_1 * x.abs());
    let series = t
        * (0.254_829_6
            + t * (-0.284_496_72 + t * (1.421_413_8 + t * (-1.453_152_1 + t * 1.061_405_4))));
    (1.0 - series * (-x * x).exp()).copysign(x)
}
