//! What a person decides about proposals, and carrying it out.

use heirloom_core::record::short_id;
use heirloom_engine::{Error, Reply, Session};
use serde_json::{Map, Value, json};

use super::operation;
use crate::exit::Code;
use crate::local::CommandContext;
use crate::wording::format_hint;

/// A proposal, as the operation lists it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Proposal {
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) text: String,
    pub(super) confidence: f64,
    pub(super) reason: String,
    pub(super) by: String,
    pub(super) date: Option<String>,
    pub(super) source: String,
    /// The earlier statement that it changes, with its source.
    pub(super) replaces: Option<(String, String)>,
}

impl Proposal {
    /// Reads a proposal of the answer.
    pub(super) fn of(value: &Value) -> Result<Self, Error> {
        let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        let replaced = &value["replaces"];
        let replaced_text = |key: &str| replaced[key].as_str().unwrap_or_default().to_owned();
        let id = text("id");
        if id.is_empty() {
            return Err(Error::system("a proposal has no id"));
        }
        Ok(Proposal {
            id,
            kind: text("kind"),
            text: text("text"),
            confidence: value["confidence"].as_f64().unwrap_or_default(),
            reason: text("reason"),
            by: text("by"),
            date: value["date"].as_str().map(str::to_owned),
            source: text("source"),
            replaces: replaced
                .is_object()
                .then(|| (replaced_text("text"), replaced_text("source"))),
        })
    }

    /// Returns the form of the id that is shown.
    pub(super) fn short_id(&self) -> &str {
        short_id(&self.id)
    }
}

/// What was decided.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Decisions {
    /// The ids of proposals that are stored.
    pub(super) accept: Vec<String>,
    /// The texts to store in place of those of the transcripts, by id.
    pub(super) texts: Vec<(String, String)>,
    /// The ids of proposals that are never made again.
    pub(super) drop: Vec<String>,
}

impl Decisions {
    /// Returns whether nothing was decided.
    pub(super) fn is_empty(&self) -> bool {
        self.accept.is_empty() && self.drop.is_empty()
    }

    /// Stores what was accepted, in one transaction, and drops what was dropped. Nothing is dropped if storing fails.
    pub(super) fn carry_out(
        &self,
        call: &CommandContext<'_>,
        session: &Session,
    ) -> Result<Code, Error> {
        if self.is_empty() {
            match call.output.is_json() {
                true => call.output.data(json!({"accepted": null, "dropped": null})),
                false => call.output.note("nothing was decided"),
            }
            return Ok(Code::Success);
        }
        let is_private = call.matches.get_flag("private");
        let mut replies = vec![];
        if !self.accept.is_empty() {
            let texts: Map<String, Value> =
                self.texts.iter().map(|(id, text)| (id.clone(), json!(text))).collect();
            let to = call.matches.get_one::<String>("to").map_or("facts", String::as_str);
            let request =
                json!({"ids": self.accept, "texts": texts, "private": is_private, "to": to});
            replies.push(("accepted", operation("cold_accept", session, request)?));
        }
        if !self.drop.is_empty() {
            let request = json!({"ids": self.drop});
            replies.push(("dropped", operation("cold_drop", session, request)?));
        }
        if call.output.is_json() {
            let data = |reply: &Reply| reply.data(&|hint| format_hint(hint, None));
            let answers: Map<String, Value> =
                replies.iter().map(|(name, reply)| ((*name).to_owned(), data(reply))).collect();
            call.output.data(Value::Object(answers));
        } else {
            replies.iter().for_each(|(_, reply)| call.output.reply(reply));
        }
        Ok(Code::Success)
    }
}
