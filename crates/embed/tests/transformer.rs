//! The transformer computes the same vectors as a reference implementation in numpy.

#![allow(clippy::unwrap_used, reason = "a test")]

use heirloom_core::embedding::Embedder;
use heirloom_embed::{ModelFiles, Transformer};
use serde_json::{Map, json};

const WIDTH: usize = 4;
const INNER_WIDTH: usize = 8;
const VOCABULARY: &str = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nhello\nworld\n##s\n";

/// Returns the names and shapes of all weights of a model with one layer.
fn shapes() -> Vec<(String, Vec<usize>)> {
    let mut shapes = vec![
        ("embeddings.word_embeddings.weight".to_owned(), vec![7, WIDTH]),
        ("embeddings.position_embeddings.weight".to_owned(), vec![16, WIDTH]),
        ("embeddings.token_type_embeddings.weight".to_owned(), vec![2, WIDTH]),
        ("embeddings.LayerNorm.weight".to_owned(), vec![WIDTH]),
        ("embeddings.LayerNorm.bias".to_owned(), vec![WIDTH]),
    ];
    for (part, shape) in [
        ("attention.self.query", vec![WIDTH, WIDTH]),
        ("attention.self.key", vec![WIDTH, WIDTH]),
        ("attention.self.value", vec![WIDTH, WIDTH]),
        ("attention.output.dense", vec![WIDTH, WIDTH]),
        ("attention.output.LayerNorm", vec![WIDTH]),
        ("intermediate.dense", vec![INNER_WIDTH, WIDTH]),
        ("output.dense", vec![WIDTH, INNER_WIDTH]),
        ("output.LayerNorm", vec![WIDTH]),
    ] {
        let name = format!("encoder.layer.0.{part}");
        shapes.push((format!("{name}.weight"), shape.clone()));
        shapes.push((format!("{name}.bias"), vec![shape[0]]));
    }
    shapes
}

/// Returns a model whose weights are sines.
fn model_files() -> ModelFiles {
    let mut header = Map::new();
    let mut data: Vec<u8> = Vec::new();
    for (tensor, (name, shape)) in shapes().into_iter().enumerate() {
        let start = data.len();
        for index in 0..shape.iter().product() {
            let number = ((index as f64 * 0.7 + tensor as f64).sin() / 2.0) as f32;
            data.extend(number.to_le_bytes());
        }
        let entry = json!({"dtype": "F32", "shape": shape, "data_offsets": [start, data.len()]});
        header.insert(name, entry);
    }
    let header = serde_json::to_vec(&header).unwrap();
    let mut weights = (header.len() as u64).to_le_bytes().to_vec();
    weights.extend(header);
    weights.extend(data);
    let config = json!({
        "model_type": "bert", "hidden_size": WIDTH, "num_attention_heads": 2,
        "num_hidden_layers": 1, "max_position_embeddings": 16, "layer_norm_eps": 1e-12,
    });
    ModelFiles { config: config.to_string(), vocabulary: VOCABULARY.to_owned(), weights }
}

#[test]
fn vectors_match_the_reference_implementation() {
    let model = Transformer::parse(&model_files()).unwrap();
    assert_eq!(model.dimensions(), WIDTH);
    let vector = model.vector("Hello worlds zyx");
    for (actual, expected) in
        vector.iter().zip([0.359_746_36, 0.110_955_26, 0.917_674_05, -0.127_066_18])
    {
        assert!((actual - expected).abs() < 1e-5, "{vector:?}");
    }
    assert_eq!(model.vector(" \n"), [0.0; WIDTH]);
    assert_eq!(model.embed_one("hello").unwrap(), model.vector("hello"));
    let long = "hello world ".repeat(400);
    assert!(model.vector(&long).iter().all(|x| x.is_finite()));
}

#[test]
fn an_invalid_model_is_rejected_with_the_reason() {
    let rejection = |change: &dyn Fn(&mut ModelFiles)| {
        let mut files = model_files();
        change(&mut files);
        Transformer::parse(&files).unwrap_err().message
    };
    assert!(rejection(&|files| files.vocabulary = "hello\n".to_owned()).contains("[CLS]"));
    assert!(rejection(&|files| files.config = "{}".to_owned()).contains("config.json"));
    assert!(rejection(&|files| files.weights.truncate(100)).contains("safetensors"));
    assert!(rejection(&|files| files.config = files.config.replace("bert", "t5")).contains("t5"));
    let wider = |files: &mut ModelFiles| {
        files.config = files.config.replace("\"hidden_size\":4", "\"hidden_size\":6");
    };
    assert!(rejection(&wider).contains("4"), "{}", rejection(&wider));
}
