//! The embedders. The default is a static model that is compiled into the binary: the vector of a text
//! is the sum of one vector per word piece. It needs no download and takes a few microseconds per
//! text. A sentence transformer from a local folder (with the feature `transformer`) or an
//! OpenAI-compatible endpoint can be configured instead. The judge, a small transformer, reads two statements at once.

mod endpoint;
mod half;
mod judge;
mod model;
mod near_words;
mod piece_table;
mod preprocess;
#[cfg(feature = "transformer")]
mod tensors;
#[cfg(feature = "transformer")]
mod transformer;
mod word_nearness;
mod wordpiece;

pub use endpoint::Endpoint;
pub use judge::{Judge, JudgeError, JudgeFile, builtin_judge, builtin_judge_checksum};
pub use model::{StaticModel, builtin};
#[cfg(feature = "transformer")]
pub use transformer::{ModelFiles, Transformer};
pub use word_nearness::word_nearness;
pub use wordpiece::Vocabulary;
