//! The embedders. The default is a static model inside the binary: one vector for each piece of a
//! word, added up. It needs no download and a few microseconds a text. A sentence transformer from
//! a local folder and an OpenAI-compatible endpoint can be configured in its place.

mod endpoint;
mod model;
mod spread;
mod tensors;
mod transformer;
mod wordpiece;

pub use endpoint::Endpoint;
pub use model::{StaticModel, builtin};
pub use transformer::{Files, Transformer};
pub use wordpiece::Vocabulary;
