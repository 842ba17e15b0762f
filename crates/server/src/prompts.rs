//! The prompts that a person picks in a client: each is an operation with an opening.

use heirloom_engine::{Op, is_same_field, ops};
use rmcp::model::{Prompt, PromptArgument};
use serde_json::{Map, Value, json};

/// A prompt.
struct Offer {
    name: &'static str,
    about: &'static str,
    /// The operation whose answer it shows.
    op: &'static str,
    /// Its arguments, which are fields of the operation's request.
    arguments: &'static [(&'static str, &'static str, bool)],
    /// What stands before the answer.
    opening: &'static str,
}

const PLAN: (&str, &str, bool) = ("plan", "Plan, by name or number", false);
const AGENT: (&str, &str, bool) = ("agent", "Agent of that plan, by name or number", false);

const OFFERS: &[Offer] = &[
    Offer {
        name: "start",
        about: "Start work with everything that you inherit",
        op: "context_resolve",
        arguments: &[PLAN, AGENT],
        opening: "You are starting work. What follows is what you inherit; each part names its source and how fresh it is. Where parts disagree, the merged values are right. Treat what is marked stale or in conflict with care, and say so before you rely on it.",
    },
    Offer {
        name: "memory",
        about: "Show how much is remembered: facts, episodes, working memory",
        op: "memory_stats",
        arguments: &[],
        opening: "",
    },
    Offer {
        name: "compact",
        about: "What you need to go on with an empty context",
        op: "memory_compact",
        arguments: &[
            ("transcript", "The conversation so far, as text; an episode is stored of it", false),
            PLAN,
            AGENT,
        ],
        opening: "The conversation so far is compacted. What follows is what you need to go on; pins come first.",
    },
    Offer {
        name: "note",
        about: "Capture a note to come back to",
        op: "note",
        arguments: &[("text", "The note", true)],
        opening: "",
    },
    Offer { name: "notes", about: "Show pending notes", op: "notes", arguments: &[], opening: "" },
];

/// Returns every prompt.
pub(crate) fn list() -> Vec<Prompt> {
    let prompt = |offer: &Offer| {
        let arguments = offer.arguments.iter().map(|(name, about, required)| {
            PromptArgument::new(*name).with_description(*about).with_required(*required)
        });
        let arguments: Vec<PromptArgument> = arguments.collect();
        Prompt::new(offer.name, Some(offer.about), Some(arguments).filter(|list| !list.is_empty()))
    };
    OFFERS.iter().map(prompt).collect()
}

/// Finds a prompt: the operation to call, its request, and what stands before its answer.
pub(crate) fn find(
    name: &str,
    given: Option<Map<String, Value>>,
) -> Result<(&'static Op, Value, &'static str), String> {
    let names: Vec<&str> = OFFERS.iter().map(|offer| offer.name).collect();
    let unknown = || format!("there is no prompt `{name}`; there are {}", names.join(", "));
    let offer = OFFERS.iter().find(|offer| offer.name == name).ok_or_else(unknown)?;
    let op = ops::by_name(offer.op).ok_or_else(unknown)?;
    let given = given.unwrap_or_default();
    let mut request = Map::new();
    for (name, _, required) in offer.arguments {
        let mut spelled = given.iter().filter(|(given, _)| is_same_field(given, name));
        let text =
            spelled.find_map(|(_, value)| value.as_str().filter(|text| !text.trim().is_empty()));
        match text {
            Some(text) => drop(request.insert((*name).to_owned(), json!(text))),
            None if *required => return Err(format!("the prompt `{}` needs `{name}`", offer.name)),
            None => {}
        }
    }
    Ok((op, Value::Object(request), offer.opening))
}
