//! The embedders. The default is a static model that is compiled into the binary: the vector of a text
//! is the sum of one vector per word piece. It needs no download and takes a few microseconds per
//! text. A sentence transformer from a local folder or an OpenAI-compatible endpoint can be
//! configured instead.

mod endpoint;
mod model;
mod preprocess;
mod tensors;
mod transformer;
mod wordpiece;

pub use endpoint::Endpoint;
pub use model::{StaticModel, builtin};
pub use transformer::{ModelFiles, Transformer};
pub use wordpiece::Vocabulary;
