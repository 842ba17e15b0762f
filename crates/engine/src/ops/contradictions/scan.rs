//! `contradictions scan`: compares all memories with each other.

use heirloom_core::Hint;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::shown::{ShownContradiction, show_contradictions};
use crate::contradictions::scan;
use crate::view::{Role, View, present, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

/// Most new contradictions that the view shows; the list shows all.
const MAX_SHOWN: usize = 20;

pub(crate) struct ContradictionsScan;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Record nothing; only show what would be found.
    #[serde(default)]
    dry_run: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ScannedContradictions {
    /// Contradictions that were not known, the certain and the most likely ones first.
    new: Vec<ShownContradiction>,
    /// Number of open contradictions, the new ones included.
    open: usize,
    /// Number of memories that were compared.
    memories: usize,
    /// Number of pairs that were judged, now or by an earlier scan: those that are similar enough.
    judged_pairs: usize,
    /// Number of those that an earlier scan judged.
    known_pairs: usize,
    /// Number of similar pairs that were not judged, since each of the memories has more similar ones.
    left_out_pairs: usize,
    /// Number of pairs that the model would have read if there were fewer; the next scan goes on with them.
    left_pairs: usize,
    /// Number of contradictions that the next scan records, since there are too many.
    left_contradictions: usize,
    /// Whether nothing was recorded.
    dry_run: bool,
    /// Remarks, such as why a configured model was not asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

impl Operation for ContradictionsScan {
    type Request = Request;
    type Response = ScannedContradictions;
    const SPEC: Spec = Spec {
        name: "contradictions_scan",
        usage: "contradictions scan",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Compare all memories and record those that contradict each other. Nothing else changes; an interrupted scan goes on where it was.",
    };

    fn run(session: &Session, request: Request) -> Result<ScannedContradictions, Error> {
        let report = scan(session, request.dry_run)?;
        let new = report.new.iter();
        Ok(ScannedContradictions {
            new: new.map(|(found, id)| ShownContradiction::of_new(found, id.as_deref())).collect(),
            open: report.open,
            memories: report.memories,
            judged_pairs: report.judged_pairs,
            known_pairs: report.known_pairs,
            left_out_pairs: report.left_out_pairs,
            left_pairs: report.left_pairs,
            left_contradictions: report.left_contradictions,
            dry_run: request.dry_run,
            notes: report.notes,
        })
    }
}

impl Answer for ScannedContradictions {
    fn view(&self) -> View {
        let mut view = View::new();
        let shown = &self.new[..self.new.len().min(MAX_SHOWN)];
        show_contradictions(&mut view, shown);
        if self.new.len() > shown.len() {
            let rest = format!("and {} more", self.new.len() - shown.len());
            view.line([span(Role::Dim, rest)]);
        }
        if !self.new.is_empty() {
            view.blank();
        }
        let new = match self.new.len() {
            0 => "no new contradictions".to_owned(),
            new => present::count(new, "new contradiction"),
        };
        let judged = present::count(self.judged_pairs, "pair");
        let memories = present::count(self.memories, "memory");
        let mut summary =
            vec![new, format!("{} open", self.open), format!("{judged} of {memories}")];
        if self.known_pairs > 0 {
            summary.push(format!("{} judged before", self.known_pairs));
        }
        if self.left_out_pairs > 0 {
            summary.push(format!("{} less similar ones not judged", self.left_out_pairs));
        }
        view.line([span(Role::Dim, summary.join(" · "))]);
        let left = [(self.left_pairs, "pair"), (self.left_contradictions, "contradiction")];
        for (left, what) in left.into_iter().filter(|(left, _)| *left > 0) {
            let line = format!("{} left for the next scan", present::count(left, what));
            view.line([span(Role::Warning, line)]);
        }
        for note in &self.notes {
            view.line([span(Role::Warning, note)]);
        }
        if self.open > 0 && !self.dry_run {
            let hint = Hint::text("resolve with ").operation("contradictions_resolve");
            view.line([span(Role::Dim, hint)]);
        }
        view
    }
}
