//! A record that was written to the log.

use heirloom_core::record::{Record, short, short_ids};
use schemars::JsonSchema;
use serde::Serialize;

use crate::Answer;
use crate::memory::SimilarMemory;
use crate::view::{Role, View, span};

/// A record, and what was done with it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Stored {
    /// What was done: stored, reinforced, superseded, noted.
    pub(crate) done: &'static str,
    /// Its id; the last 8 characters will do to name it.
    pub(crate) id: String,
    /// What it is.
    pub(crate) kind: &'static str,
    /// What it says.
    pub(crate) text: String,
    /// What it replaced.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) replaced: Vec<String>,
    /// What says nearly the same. Nothing was merged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) near: Vec<SimilarMemory>,
    /// Whether it stays on this machine.
    pub(crate) private: bool,
    /// What to know besides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<String>,
}

impl Stored {
    /// Answers that a record was written.
    pub(crate) fn of(done: &'static str, record: &Record) -> Self {
        Stored {
            done,
            id: record.id.to_string(),
            kind: record.kind().word(),
            text: record.text().into_owned(),
            replaced: record.supersedes.clone(),
            near: vec![],
            private: record.is_private(),
            notes: vec![],
        }
    }
}

impl Answer for Stored {
    fn view(&self) -> View {
        let mut view = View::new();
        view.line([
            span(Role::Good, format!("{} {} ", self.done, self.kind)),
            span(Role::Key, short(&self.id)),
            "  ".into(),
            self.text.replace('\n', " ").into(),
            span(Role::Dim, if self.private { "  (private)" } else { "" }),
        ]);
        for note in &self.notes {
            view.line([span(Role::Warning, format!("   {note}"))]);
        }
        for id in &self.replaced {
            let id = crate::memory::MemorySlice::short_name(id);
            view.line([span(Role::Dim, format!("   in place of {id}"))]);
        }
        if !self.near.is_empty() {
            view.line([span(Role::Warning, "   nearly the same is already there:")]);
        }
        let ids: Vec<&str> = self.near.iter().map(|near| near.id.as_str()).collect();
        for (near, id) in self.near.iter().zip(short_ids(&ids)) {
            view.line([
                "   ".into(),
                span(Role::Key, id),
                span(Role::Dim, format!("  {:.0} %  ", near.likeness * 100.0)),
                near.text.replace('\n', " ").into(),
            ]);
        }
        view
    }
}
