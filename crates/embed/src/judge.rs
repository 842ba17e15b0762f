//! The judge of contradictions: an MPNet encoder of two statements with weights of four bits, and one output.
//! `models/README.md` describes how it is made.

mod distances;
mod encoder;
mod file;
mod words;

use std::error::Error;
use std::fmt;
use std::sync::OnceLock;

use heirloom_core::kernels::Instructions;

use self::encoder::Encoder;
use crate::Vocabulary;

/// Longer statements are truncated, as in training.
const STATEMENT_MAX_TOKENS: usize = 48;

/// The tokens of two joined statements at most: the two, and four special ones.
const JOINED_MAX_TOKENS: usize = 2 * STATEMENT_MAX_TOKENS + 4;

/// Statements of about so many tokens are computed together, so that their activations stay in the processor's cache.
const BATCH_TOKENS: usize = 256;

/// The tokens that the vocabulary starts with.
const SPECIAL_TOKENS: [&str; 4] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"];

/// The ids of the special tokens that are used.
const START: u32 = 2;
const END: u32 = 3;

/// The orders in which two statements are read. The answer does not depend on the one in which they come.
#[derive(Debug, Clone, Copy)]
enum Orders {
    /// The statement that is smaller bytewise comes first.
    Sorted,
    /// Both, and the mean counts.
    Both,
}

/// A model that says how likely two statements contradict each other.
#[derive(Debug)]
pub struct Judge {
    vocabulary: Vocabulary,
    encoder: Encoder,
    orders: Orders,
    instructions: Instructions,
}

/// A model's file that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgeError {
    /// What is wrong.
    pub message: String,
    /// How to mend it.
    pub hint: String,
}

impl JudgeError {
    fn new(reason: &str) -> Self {
        JudgeError {
            message: format!("the model of the judge cannot be used: {reason}"),
            hint: "install the program again, or make the model with models/judge/export.py".into(),
        }
    }
}

impl fmt::Display for JudgeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for JudgeError {}

/// A model's file, which is checked and read when the model is first needed.
#[derive(Debug)]
pub struct JudgeFile {
    bytes: &'static [u8],
    judge: OnceLock<Result<Judge, JudgeError>>,
}

impl JudgeFile {
    /// Takes a file without reading it.
    pub const fn new(bytes: &'static [u8]) -> Self {
        JudgeFile { bytes, judge: OnceLock::new() }
    }

    /// Returns the checksum that the file states, without reading the rest of it.
    pub fn checksum(&self) -> String {
        let stated = self.bytes.iter().skip(file::MAGIC.len()).take(8);
        stated.map(|byte| format!("{byte:02x}")).collect()
    }

    /// Returns the model. The first call reads the file.
    pub fn judge(&self) -> Result<&Judge, &JudgeError> {
        self.judge.get_or_init(|| Judge::parse(self.bytes)).as_ref()
    }
}

/// The model that is compiled in.
static BUILTIN: JudgeFile = JudgeFile::new(include_bytes!("../../../models/judge.bin"));

/// Returns the model that is compiled in. The first call reads the file.
pub fn builtin_judge() -> Result<&'static Judge, &'static JudgeError> {
    BUILTIN.judge()
}

/// Returns what tells the model that is compiled in from others.
pub fn builtin_judge_checksum() -> String {
    BUILTIN.checksum()
}

impl Judge {
    /// Checks and reads a model's file. The weights of its layers stay in it.
    pub fn parse(bytes: &'static [u8]) -> Result<Self, JudgeError> {
        file::read(bytes).map_err(|reason| JudgeError::new(&reason))
    }

    /// Uses other instructions than the fastest ones of the processor. The results are the same.
    pub fn with_instructions(self, instructions: Instructions) -> Self {
        Judge { instructions, ..self }
    }

    /// Returns the vocabulary.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Returns the log-odds that two statements contradict each other, in whichever order they are.
    pub fn log_odds(&self, a: &str, b: &str) -> f32 {
        self.log_odds_of_all(&[(a, b)])[0]
    }

    /// Returns the log-odds of each pair. This is faster than one pair at a time.
    pub fn log_odds_of_all(&self, pairs: &[(&str, &str)]) -> Vec<f32> {
        let mut log_odds = Vec::with_capacity(pairs.len());
        let mut batch: Vec<Vec<u32>> = Vec::new();
        let mut batch_tokens = 0;
        for (index, (a, b)) in pairs.iter().enumerate() {
            let (first, second) = if a.as_bytes() <= b.as_bytes() { (a, b) } else { (b, a) };
            let [first, second] = [first, second].map(|statement| self.statement_tokens(statement));
            batch.push(join(&first, &second));
            if matches!(self.orders, Orders::Both) {
                batch.push(join(&second, &first));
            }
            batch_tokens += batch.last().map_or(0, Vec::len) * self.orders.count();
            if batch_tokens >= BATCH_TOKENS || index + 1 == pairs.len() {
                let of_batch = self.encoder.log_odds(&batch, self.instructions);
                let of_pairs = of_batch.chunks_exact(self.orders.count());
                log_odds.extend(
                    of_pairs.map(|orders| orders.iter().sum::<f32>() / orders.len() as f32),
                );
                batch.clear();
                batch_tokens = 0;
            }
        }
        log_odds
    }

    fn statement_tokens(&self, statement: &str) -> Vec<u32> {
        let mut tokens = self.vocabulary.pieces(statement);
        tokens.truncate(STATEMENT_MAX_TOKENS);
        tokens
    }
}

impl Orders {
    fn count(self) -> usize {
        match self {
            Orders::Sorted => 1,
            Orders::Both => 2,
        }
    }
}

/// Joins the tokens of two statements as in training.
fn join(first: &[u32], second: &[u32]) -> Vec<u32> {
    [&[START], first, &[END, END], second, &[END]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_that_is_compiled_in_can_be_read() {
        let judge = builtin_judge();
        assert!(judge.is_ok(), "{judge:?}");
    }
}
