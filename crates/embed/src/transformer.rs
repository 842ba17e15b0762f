//! A sentence transformer of the BERT family, read from the files in which such models are published:
//! `config.json`, `vocab.txt` and `model.safetensors`. The vector of a text is the mean of the last
//! layer over all tokens.

use std::collections::HashMap;

use heirloom_core::embedding::{EmbedError, Embedder, normalise};
use serde::Deserialize;

use crate::Vocabulary;
use crate::tensors::{self, Tensor};

/// Longer texts are truncated, because sentence transformers are not trained on them.
const MAX_TOKENS: usize = 256;

/// The files of a model.
#[derive(Debug)]
pub struct ModelFiles {
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
    special: SpecialTokens,
    word_embeddings: Tensor,
    position_embeddings: Tensor,
    token_type_embeddings: Tensor,
    embedding_norm: LayerNorm,
    layers: Vec<Layer>,
}

/// The fields of `config.json` that are used.
#[derive(Debug, Deserialize)]
struct Config {
    hidden_size: usize,
    num_attention_heads: usize,
    num_hidden_layers: usize,
    max_position_embeddings: usize,
    #[serde(default = "default_epsilon")]
    layer_norm_eps: f32,
    #[serde(default = "default_activation")]
    hidden_act: String,
    #[serde(default)]
    model_type: String,
}

fn default_epsilon() -> f32 {
    1e-12
}

fn default_activation() -> String {
    "gelu".to_owned()
}

/// The ids of the special tokens.
#[derive(Debug, Clone, Copy)]
struct SpecialTokens {
    start: u32,
    end: u32,
    unknown: u32,
}

/// An encoder layer: self-attention followed by a feed-forward network.
#[derive(Debug)]
struct Layer {
    query: Linear,
    key: Linear,
    value: Linear,
    attention_output: Linear,
    attention_norm: LayerNorm,
    intermediate: Linear,
    output: Linear,
    output_norm: LayerNorm,
}

#[derive(Debug)]
struct Linear {
    weight: Tensor,
    bias: Vec<f32>,
}

#[derive(Debug)]
struct LayerNorm {
    weight: Vec<f32>,
    bias: Vec<f32>,
    epsilon: f32,
}

impl ModelFiles {
    /// Returns a name with a hash of everything that the vectors depend on.
    fn embedder_name(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for part in [self.config.as_bytes(), self.vocabulary.as_bytes(), &self.weights] {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        let hash = hasher.update(&MAX_TOKENS.to_le_bytes()).finalize();
        format!("transformer-{}", &hash.to_hex()[..16])
    }
}

impl Config {
    fn parse(text: &str) -> Result<Self, String> {
        let config: Config =
            serde_json::from_str(text).map_err(|error| format!("config.json: {error}"))?;
        if !matches!(config.model_type.as_str(), "" | "bert") || config.hidden_act != "gelu" {
            let (kind, activation) = (&config.model_type, &config.hidden_act);
            return Err(format!(
                "config.json: a `{kind}` model with the activation `{activation}` is not supported"
            ));
        }
        if config.num_attention_heads == 0
            || !config.hidden_size.is_multiple_of(config.num_attention_heads)
        {
            let message = "config.json: hidden_size is not a multiple of num_attention_heads";
            return Err(message.to_owned());
        }
        if config.hidden_size == 0 || config.max_position_embeddings < 2 {
            let message = "config.json: hidden_size or max_position_embeddings is too small";
            return Err(message.to_owned());
        }
        Ok(config)
    }
}

/// Parses `vocab.txt`, with either kind of line break.
fn read_vocabulary(text: &str) -> Vocabulary {
    let mut text = text.replace("\r\n", "\n");
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Vocabulary::new(text)
}

impl SpecialTokens {
    fn find(vocabulary: &Vocabulary) -> Result<Self, String> {
        let id = |token: &str| {
            vocabulary.id(token).ok_or_else(|| format!("vocab.txt: the token {token} is missing"))
        };
        Ok(SpecialTokens { start: id("[CLS]")?, end: id("[SEP]")?, unknown: id("[UNK]")? })
    }
}

impl Transformer {
    /// Parses a model.
    pub fn parse(files: &ModelFiles) -> Result<Self, EmbedError> {
        Self::parse_files(files).map_err(|reason| {
            EmbedError::new(
                format!("the model of the embedder cannot be used: {reason}"),
                "use a sentence transformer of the BERT family: config.json, vocab.txt, model.safetensors",
            )
        })
    }

    fn parse_files(files: &ModelFiles) -> Result<Self, String> {
        let config = Config::parse(&files.config)?;
        let mut weights = Weights(
            tensors::read(&files.weights)
                .map_err(|reason| format!("model.safetensors: {reason}"))?,
        );
        let vocabulary = read_vocabulary(&files.vocabulary);
        let special = SpecialTokens::find(&vocabulary)?;
        let layers = (0..config.num_hidden_layers).map(|index| weights.layer(index, &config));
        let layers = layers.collect::<Result<_, _>>()?;
        let width = config.hidden_size;
        let (tokens, positions) = (vocabulary.len(), config.max_position_embeddings);
        Ok(Transformer {
            name: files.embedder_name(),
            word_embeddings: weights.matrix("embeddings.word_embeddings.weight", tokens, width)?,
            position_embeddings: weights.matrix(
                "embeddings.position_embeddings.weight",
                positions,
                width,
            )?,
            token_type_embeddings: weights.matrix(
                "embeddings.token_type_embeddings.weight",
                1,
                width,
            )?,
            embedding_norm: weights.norm("embeddings.LayerNorm", &config)?,
            layers,
            special,
            vocabulary,
            config,
        })
    }

    fn tokens(&self, text: &str) -> Vec<u32> {
        let max_tokens = MAX_TOKENS.min(self.config.max_position_embeddings);
        let mut ids = vec![self.special.start];
        self.vocabulary.for_each_word_pieces(text, |pieces| match pieces {
            [] => ids.push(self.special.unknown),
            pieces => ids.extend_from_slice(pieces),
        });
        ids.truncate(max_tokens - 1);
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
        for (position, id) in tokens.iter().enumerate() {
            let word = self.word_embeddings.row(*id as usize);
            let position = self.position_embeddings.row(position);
            let token_type = self.token_type_embeddings.row(0);
            state.extend((0..width).map(|x| word[x] + position[x] + token_type[x]));
        }
        self.embedding_norm.apply(&mut state);
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

/// The tensors of a file by name; each is removed when it is used.
struct Weights(HashMap<String, Tensor>);

impl Weights {
    fn matrix(&mut self, name: &str, rows: usize, columns: usize) -> Result<Tensor, String> {
        // In some published models the names have the prefix `bert.`.
        let found = self.0.remove(name).or_else(|| self.0.remove(&format!("bert.{name}")));
        let found =
            found.ok_or_else(|| format!("model.safetensors: the tensor `{name}` is missing"))?;
        if found.columns != columns || found.rows < rows {
            return Err(format!(
                "model.safetensors: `{name}` is {} × {} instead of {rows} × {columns}",
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

    fn norm(&mut self, name: &str, config: &Config) -> Result<LayerNorm, String> {
        let width = config.hidden_size;
        Ok(LayerNorm {
            weight: self.matrix(&format!("{name}.weight"), 1, width)?.numbers,
            bias: self.matrix(&format!("{name}.bias"), 1, width)?.numbers,
            epsilon: config.layer_norm_eps,
        })
    }

    fn layer(&mut self, index: usize, config: &Config) -> Result<Layer, String> {
        let name = |part: &str| format!("encoder.layer.{index}.{part}");
        let width = config.hidden_size;
        let intermediate = name("intermediate.dense");
        let inner_width = self
            .0
            .get(&format!("{intermediate}.weight"))
            .or_else(|| self.0.get(&format!("bert.{intermediate}.weight")))
            .map_or(width * 4, |weight| weight.rows);
        Ok(Layer {
            query: self.linear(&name("attention.self.query"), width, width)?,
            key: self.linear(&name("attention.self.key"), width, width)?,
            value: self.linear(&name("attention.self.value"), width, width)?,
            attention_output: self.linear(&name("attention.output.dense"), width, width)?,
            attention_norm: self.norm(&name("attention.output.LayerNorm"), config)?,
            intermediate: self.linear(&intermediate, width, inner_width)?,
            output: self.linear(&name("output.dense"), inner_width, width)?,
            output_norm: self.norm(&name("output.LayerNorm"), config)?,
        })
    }
}

impl Tensor {
    fn row(&self, index: usize) -> &[f32] {
        &self.numbers[index * self.columns..][..self.columns]
    }
}

impl Linear {
    /// Multiplies each row of a state by the weights and adds the bias.
    fn apply(&self, state: &[f32]) -> Vec<f32> {
        let (from, to) = (self.weight.columns, self.bias.len());
        let rows = state.len() / from;
        let mut out: Vec<f32> = self.bias.iter().copied().cycle().take(rows * to).collect();
        add_product(state, (from, 1), &self.weight.numbers, (1, from), &mut out, [rows, from, to]);
        out
    }
}

/// Adds the product of the matrices `a` and `b` to `out`. The strides of a matrix are the distances
/// between its rows and between its columns.
fn add_product(
    a: &[f32],
    a_strides: (usize, usize),
    b: &[f32],
    b_strides: (usize, usize),
    out: &mut [f32],
    [rows, inner, columns]: [usize; 3],
) {
    let last_index = |(row, column): (usize, usize), rows: usize, columns: usize| {
        (rows.max(1) - 1) * row + (columns.max(1) - 1) * column
    };
    assert!(
        last_index(a_strides, rows, inner) < a.len()
            && last_index(b_strides, inner, columns) < b.len()
            && rows * columns <= out.len(),
        "the slices are large enough for the sizes"
    );
    let signed = |strides: (usize, usize)| (strides.0 as isize, strides.1 as isize);
    let ((a_row, a_column), (b_row, b_column)) = (signed(a_strides), signed(b_strides));
    // SAFETY: the assertion above ensures that all indices are within the slices.
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

impl LayerNorm {
    fn apply(&self, state: &mut [f32]) {
        let width = self.weight.len();
        for row in state.chunks_exact_mut(width) {
            let mean = row.iter().sum::<f32>() / width as f32;
            let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / width as f32;
            let scale = 1.0 / (variance + self.epsilon).sqrt();
            for (index, x) in row.iter_mut().enumerate() {
                *x = (*x - mean) * scale * self.weight[index] + self.bias[index];
            }
        }
    }
}

impl Layer {
    fn apply(&self, state: &mut [f32], tokens: usize, heads: usize) {
        let width = state.len() / tokens;
        let head_width = width / heads;
        let [query, key, value] =
            [&self.query, &self.key, &self.value].map(|projection| projection.apply(state));
        let mut attended = vec![0.0; state.len()];
        let mut head_output = vec![0.0; tokens * head_width];
        for head in 0..heads {
            let start = head * head_width;
            let mut scores = vec![0.0; tokens * tokens];
            let sizes = [tokens, head_width, tokens];
            add_product(&query[start..], (width, 1), &key[start..], (1, width), &mut scores, sizes);
            for row in scores.chunks_exact_mut(tokens) {
                softmax(row, 1.0 / (head_width as f32).sqrt());
            }
            head_output.fill(0.0);
            let sizes = [tokens, tokens, head_width];
            add_product(&scores, (tokens, 1), &value[start..], (width, 1), &mut head_output, sizes);
            let head_rows = head_output.chunks_exact(head_width);
            for (row, head_row) in attended.chunks_exact_mut(width).zip(head_rows) {
                row[start..start + head_width].copy_from_slice(head_row);
            }
        }
        let projected = self.attention_output.apply(&attended);
        add(&mut attended, &projected, state);
        self.attention_norm.apply(&mut attended);
        let mut hidden = self.intermediate.apply(&attended);
        hidden.iter_mut().for_each(|x| *x = gelu(*x));
        add(state, &self.output.apply(&hidden), &attended);
        self.output_norm.apply(state);
    }
}

/// Writes the sum of two states to `out`.
fn add(out: &mut [f32], a: &[f32], b: &[f32]) {
    out.iter_mut().zip(a.iter().zip(b)).for_each(|(out, (a, b))| *out = a + b);
}

fn softmax(row: &mut [f32], scale: f32) {
    // Subtracting the maximum avoids overflow.
    let max = row.iter().fold(f32::NEG_INFINITY, |max, x| max.max(*x));
    row.iter_mut().for_each(|x| *x = ((*x - max) * scale).exp());
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
