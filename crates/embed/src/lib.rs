//! The embedders. The default is a static model inside the binary: one vector for each piece of a
//! word, added up. It needs no download and a few microseconds a text.

mod model;
mod spread;
mod wordpiece;

pub use model::{StaticModel, builtin};
pub use wordpiece::Vocabulary;
