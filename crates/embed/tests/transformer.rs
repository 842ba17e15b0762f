//! A transformer is read from its files and computes what another implementation computes.

#![allow(clippy::unwrap_used, reason = "a test")]

use heirloom_core::embedding::Embedder;
use heirloom_embed::{Files, Transformer};
use serde_json::{Map, json};

const WIDTH: usize = 4;
const INNER: usize = 8;
const WORDS: &str = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nhello\nworld\n##s\n";

/// The names and shapes of all weights of a model with one layer.
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
        ("intermediate.dense", vec![INNER, WIDTH]),
        ("output.dense", vec![WIDTH, INNER]),
        ("output.LayerNorm", vec![WIDTH]),
    ] {
        let name = format!("encoder.layer.0.{part}");
        shapes.push((format!("{name}.weight"), shape.clone()));
        shapes.push((format!("{name}.bias"), vec![shape[0]]));
    }
    shapes
}

/// A model whose weights are sines.
fn files() -> Files {
    let mut header = Map::new();
    let mut data: Vec<u8> = Vec::new();
    for (tensor, (name, shape)) in shapes().into_iter().enumerate() {
        let start = data.len();
        for at in 0..shape.iter().product() {
            let number = ((at as f64 * 0.7 + tensor as f64).sin() / 2.0) as f32;
            data.extend(number.to_le_bytes());
        }
        let place = json!({"dtype": "F32", "shape": shape, "data_offsets": [start, data.len()]});
        header.insert(name, place);
    }
    let header = serde_json::to_vec(&header).unwrap();
    let mut weights = (header.len() as u64).to_le_bytes().to_vec();
    weights.extend(header);
    weights.extend(data);
    let config = json!({
        "model_type": "bert", "hidden_size": WIDTH, "num_attention_heads": 2,
        "num_hidden_layers": 1, "max_position_embeddings": 16, "layer_norm_eps": 1e-12,
    });
    Files { config: config.to_string(), vocabulary: WORDS.to_owned(), weights }
}

#[test]
fn a_vector_is_what_numpy_makes_of_the_same_weights() {
    let model = Transformer::read(&files()).unwrap();
    assert_eq!(model.dimensions(), WIDTH);
    let vector = model.vector("Hello worlds zyx");
    for (own, wanted) in
        vector.iter().zip([0.359_746_36, 0.110_955_26, 0.917_674_05, -0.127_066_18])
    {
        assert!((own - wanted).abs() < 1e-5, "{vector:?}");
    }
    assert_eq!(model.vector(" \n"), [0.0; WIDTH]);
    assert_eq!(model.embed_one("hello").unwrap(), model.vector("hello"));
    let long = "hello world ".repeat(400);
    assert!(model.vector(&long).iter().all(|x| x.is_finite()));
}

#[test]
fn a_model_that_is_not_whole_is_refused_with_the_reason() {
    let refused = |change: &dyn Fn(&mut Files)| {
        let mut files = files();
        change(&mut files);
        Transformer::read(&files).unwrap_err().message
    };
    assert!(refused(&|files| files.vocabulary = "hello\n".to_owned()).contains("[CLS]"));
    assert!(refused(&|files| files.config = "{}".to_owned()).contains("config.json"));
    assert!(refused(&|files| files.weights.truncate(100)).contains("safetensors"));
    assert!(refused(&|files| files.config = files.config.replace("bert", "t5")).contains("t5"));
    let wider = |files: &mut Files| {
        files.config = files.config.replace("\"hidden_size\":4", "\"hidden_size\":6");
    };
    assert!(refused(&wider).contains("4"), "{}", refused(&wider));
}
