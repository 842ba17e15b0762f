//! The prompts that a user can select in an MCP client. Each shows the result of an operation after an
//! introduction.

use heirloom_engine::{Op, is_same_field, ops, schema};
use rmcp::model::{Prompt, PromptArgument};
use serde_json::{Map, Value, json};

/// The definition of a prompt.
struct PromptSpec {
    name: &'static str,
    about: &'static str,
    /// The operation whose result it shows.
    op: &'static str,
    arguments: &'static [Argument],
    /// The text before the result; may be empty.
    introduction: &'static str,
}

/// An argument of a prompt, which is a field of the operation's request: name, description, and
/// whether it is required.
type Argument = (&'static str, &'static str, bool);

const PLAN: Argument = ("plan", "Plan, by name or number", false);
const AGENT: Argument = ("agent", "Agent of that plan, by name or number", false);

const PROMPTS: &[PromptSpec] = &[
    PromptSpec {
        name: "start",
        about: "Start work with the context that you inherit",
        op: "context_resolve",
        arguments: &[PLAN, AGENT],
        introduction: "You are starting work. The following context applies to you; each part names its source and how fresh it is. Where parts disagree, the merged values apply. Treat parts that are marked as stale or conflicting with care, and say so before you rely on them.",
    },
    PromptSpec {
        name: "prompt",
        about: "Build the prompt of an agent within a token budget",
        op: "prompt",
        arguments: &[
            ("agent", "Agent", false),
            ("sprint", "Sprint", false),
            ("stage", "Stage", false),
            ("plan", "Plan, by name or number", false),
            ("budget", "Most tokens of the prompt", false),
            ("task", "What to do now", false),
        ],
        introduction: "",
    },
    PromptSpec {
        name: "memory",
        about: "Show statistics of the memory: facts, episodes, working memory",
        op: "memory_stats",
        arguments: &[],
        introduction: "",
    },
    PromptSpec {
        name: "compact",
        about: "Show what is needed to continue with an empty context",
        op: "memory_compact",
        arguments: &[
            ("transcript", "The conversation so far, as text; it is stored as an episode", false),
            PLAN,
            AGENT,
        ],
        introduction: "The conversation so far was compacted. The following is what you need to continue; pins come first.",
    },
    PromptSpec {
        name: "note",
        about: "Store a note for later",
        op: "note",
        arguments: &[("text", "The note", true)],
        introduction: "",
    },
    PromptSpec {
        name: "notes",
        about: "Show pending notes",
        op: "notes",
        arguments: &[],
        introduction: "",
    },
];

/// Returns all prompts.
pub(crate) fn list() -> Vec<Prompt> {
    let prompt = |spec: &PromptSpec| {
        let arguments = spec.arguments.iter().map(|(name, about, required)| {
            PromptArgument::new(*name).with_description(*about).with_required(*required)
        });
        let arguments: Vec<PromptArgument> = arguments.collect();
        Prompt::new(spec.name, Some(spec.about), Some(arguments).filter(|list| !list.is_empty()))
    };
    PROMPTS.iter().map(prompt).collect()
}

/// Finds a prompt by name. Returns the operation to call, its request and the introduction.
pub(crate) fn find(
    name: &str,
    arguments: Option<Map<String, Value>>,
) -> Result<(&'static Op, Value, &'static str), String> {
    let names: Vec<&str> = PROMPTS.iter().map(|spec| spec.name).collect();
    let unknown = || format!("there is no prompt `{name}`; the prompts are {}", names.join(", "));
    let spec = PROMPTS.iter().find(|spec| spec.name == name).ok_or_else(unknown)?;
    let op = ops::by_name(spec.op).ok_or_else(unknown)?;
    let arguments = arguments.unwrap_or_default();
    let mut request = Map::new();
    for (name, _, required) in spec.arguments {
        let mut matching = arguments.iter().filter(|(key, _)| is_same_field(key, name));
        let text =
            matching.find_map(|(_, value)| value.as_str().filter(|text| !text.trim().is_empty()));
        match text {
            Some(text) => drop(request.insert((*name).to_owned(), value_of(op, name, text))),
            None if *required => {
                return Err(format!("the prompt `{}` needs the argument `{name}`", spec.name));
            }
            None => {}
        }
    }
    Ok((op, Value::Object(request), spec.introduction))
}

/// Returns the value of an argument, which clients send as text: a number where the operation takes one.
fn value_of(op: &Op, name: &str, text: &str) -> Value {
    let schema = schema::simplify(&op.request_schema().to_value());
    let takes_integer = schema["properties"][name]["type"] == "integer";
    let number = text.trim().replace(['_', ','], "").parse::<i64>().ok();
    number.filter(|_| takes_integer).map_or_else(|| json!(text), |number| json!(number))
}
