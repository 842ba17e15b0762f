//! What may be forgotten: what was replaced, and what was not used for long and is not important.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::importance::{Importance, importance_of};

/// Why a memory is forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ForgettingReason {
    /// Another memory replaced it.
    Superseded,
    /// It is a greeting, thanks, praise, or a question that asks nothing in particular.
    SmallTalk,
    /// It confirms what somebody said.
    Acknowledgement,
    /// It is a reply of an assistant that ends by asking how to go on.
    OpenReply,
    /// It is a note that was done.
    Done,
    /// It stopped being true.
    Expired,
}

impl ForgettingReason {
    /// Returns the reason in words.
    pub fn as_str(self) -> &'static str {
        match self {
            ForgettingReason::Superseded => "superseded",
            ForgettingReason::SmallTalk => "small talk",
            ForgettingReason::Acknowledgement => "an acknowledgement",
            ForgettingReason::OpenReply => "a reply that settles nothing",
            ForgettingReason::Done => "a note that was done",
            ForgettingReason::Expired => "no longer true",
        }
    }

    /// Returns whether this holds for one person only, and must not take the memory away from others.
    pub fn is_disuse(self) -> bool {
        self != ForgettingReason::Superseded
    }
}

/// After how many days memories are forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForgettingRules {
    /// The days without use after which an unimportant memory is forgotten.
    pub unused_days: i64,
}

/// A memory, as far as forgetting depends on it.
#[derive(Debug, Clone)]
pub struct ForgettableMemory<'m> {
    /// All that it states.
    pub text: &'m str,
    /// Whether it may be a line of a conversation. Anything else was written down because it says something.
    pub is_conversation: bool,
    /// The days since it was recorded, reinforced, retrieved or cited.
    pub unused_days: i64,
    /// Whether it is a note that was done.
    pub is_done: bool,
    /// Whether it stopped being true at least as many days ago as it has to be unused.
    pub is_long_expired: bool,
}

/// Returns why a memory is forgotten by disuse; `None` if it is kept.
pub fn reason_to_forget(
    memory: &ForgettableMemory<'_>,
    rules: ForgettingRules,
) -> Option<ForgettingReason> {
    if memory.unused_days < rules.unused_days {
        return None;
    }
    match importance_of(memory.text) {
        Importance::Unimportant(reason) if memory.is_conversation => Some(reason),
        _ if memory.is_done => Some(ForgettingReason::Done),
        _ if memory.is_long_expired => Some(ForgettingReason::Expired),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: ForgettingRules = ForgettingRules { unused_days: 90 };

    fn memory(text: &str) -> ForgettableMemory<'_> {
        ForgettableMemory {
            text,
            is_conversation: true,
            unused_days: 90,
            is_done: false,
            is_long_expired: false,
        }
    }

    #[test]
    fn only_what_is_unused_and_unimportant_is_forgotten() {
        let talk = memory("Ann: Thanks, Bob!");
        assert_eq!(reason_to_forget(&talk, RULES), Some(ForgettingReason::SmallTalk));
        for kept in [
            ForgettableMemory { unused_days: 89, ..talk.clone() },
            ForgettableMemory { is_conversation: false, ..talk.clone() },
            memory("Refunds are events"),
        ] {
            assert_eq!(reason_to_forget(&kept, RULES), None, "{}", kept.text);
        }
        let done = ForgettableMemory { is_done: true, ..memory("Ask Ann about the lease") };
        assert_eq!(reason_to_forget(&done, RULES), Some(ForgettingReason::Done));
    }
}
