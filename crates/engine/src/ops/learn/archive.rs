//! `learn archive`: archives decisions and lessons that are old, or old and unused.

use heirloom_core::fold::Standing;
use heirloom_core::record::{EventAction, Referent};
use jiff::Span;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::memory::learnings::{ArchiveCriteria, LearningState, learning_states};
use crate::memory::{MemoryItem, MemoryQuery, MemoryTarget, WriteTransaction, show_items};
use crate::usage::Usage;
use crate::view::{Role, View, span};
use crate::workspace::learning_file::learning_selectors;
use crate::workspace::memory_document::MemoryDocument;
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct LearnArchive;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Entries that are older than this: 1y, 6mo, 90d, or a date.
    older_than: String,
    /// Only those of them that were not used on this machine in that time.
    #[serde(default)]
    unused: bool,
    /// Only entries of this scope (devtools/common).
    #[serde(default)]
    scope: Option<String>,
    /// Reason for archiving.
    #[serde(default)]
    reason: Option<String>,
    /// Show what would be archived, and change nothing.
    #[serde(default)]
    dry_run: bool,
}

/// Decisions and lessons that were archived, or would be.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ArchivedLearnings {
    /// Whether nothing was changed.
    dry_run: bool,
    /// The entries.
    items: Vec<MemoryItem>,
    /// Number of active entries that stay.
    kept: usize,
    /// Number of active entries that stay because their date is not known.
    undated: usize,
}

impl Operation for LearnArchive {
    type Request = Request;
    type Response = ArchivedLearnings;
    const SPEC: Spec = Spec {
        name: "learn_archive",
        usage: "learn archive",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Archive decisions and lessons that are old, or old and unused. Their text stays in the file; contexts and recall leave them out, and each can be restored.",
    };

    fn run(session: &Session, request: Request) -> Result<ArchivedLearnings, Error> {
        let before = parse_age(&request.older_than, session.today())?;
        let criteria = ArchiveCriteria { before, is_unused: request.unused };
        let scope = request.scope.as_deref();
        let selectors = scope.map(|scope| learning_selectors(session, scope)).transpose()?;
        let mut transaction = WriteTransaction::begin(session, false)?;
        let known = MemoryQuery::new().read(session)?;
        let is_of_scope = |document: &MemoryDocument| {
            selectors.as_ref().is_none_or(|scope| *scope == document.selectors)
        };
        let mut states = learning_states(&known, &Usage::read(session), is_of_scope);
        states.retain(|state| state.standing == Standing::Active);
        let total = states.len();
        let undated = states.iter().filter(|state| state.date.is_none()).count();
        states.retain(|state| state.meets(criteria));
        let reason =
            request.reason.clone().unwrap_or_else(|| describe(&request.older_than, request.unused));
        let mut items = Vec::new();
        for state in &states {
            let LearningState { document, entry, .. } = state;
            let item = MemoryItem::of_entry(&known.memory, document, entry);
            if request.dry_run {
                items.push(item);
                continue;
            }
            let target = MemoryTarget::Entry(document, entry);
            let names = transaction.referents_of(&known, target)?;
            let id = names.first().and_then(Referent::entry_id).unwrap_or(&item.id).to_owned();
            items.push(MemoryItem { id, standing: Standing::Archived, ..item });
            // One event per entry, so that each can be restored on its own.
            transaction.write_event(&known, EventAction::Archive, names, vec![], &reason)?;
        }
        let kept = total - items.len();
        if !request.dry_run && !items.is_empty() {
            transaction.commit()?;
        }
        Ok(ArchivedLearnings { dry_run: request.dry_run, items, kept, undated })
    }
}

/// Describes the criteria as a reason.
fn describe(age: &str, is_unused: bool) -> String {
    let use_on_machine = if is_unused { ", and unused on one machine" } else { "" };
    format!("older than {age}{use_on_machine}")
}

/// Returns the day before which an entry is older than an age such as `1y`, or the typed day.
fn parse_age(typed: &str, today: Date) -> Result<Date, Error> {
    let typed = typed.trim();
    if let Ok(day) = typed.parse::<Date>() {
        return Ok(day);
    }
    let in_days = |span: &Span| {
        let (years, months) = (span.get_years(), span.get_months());
        let is_positive = years > 0 || months > 0 || span.get_weeks() > 0 || span.get_days() > 0;
        is_positive && span.get_hours() == 0 && span.get_minutes() == 0
    };
    let span = typed.parse::<Span>().ok().filter(in_days);
    span.and_then(|span| today.checked_sub(span).ok()).ok_or_else(|| {
        Error::bad_input(format!("`{}` is not an age", typed.escape_default()))
            .hint("write it as 1y, 6mo, 2w or 90d, or name a day as 2026-02-22")
    })
}

impl Answer for ArchivedLearnings {
    fn view(&self) -> View {
        let mut view = View::new();
        let count = |count: usize| match count {
            1 => "1 entry".to_owned(),
            count => format!("{count} entries"),
        };
        let done = match (self.dry_run, self.items.len()) {
            (false, 0) => "nothing to archive".to_owned(),
            (true, 0) => "nothing would be archived".to_owned(),
            (true, items) => format!("would archive {}", count(items)),
            (false, items) => format!("archived {}", count(items)),
        };
        let role = if self.items.is_empty() { Role::Dim } else { Role::Good };
        view.line([span(role, done)]);
        show_items(&mut view, &self.items);
        view.line([span(Role::Dim, format!("{} active", count(self.kept)))]);
        if self.undated > 0 {
            let undated = format!("{} without a known date", count(self.undated));
            view.line([span(Role::Dim, undated)]);
        }
        view
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn an_age_is_a_span_of_days_or_a_day() {
        let today = date(2026, 3, 1);
        let parsed = |typed: &str| parse_age(typed, today).ok();
        assert_eq!(parsed("1y"), Some(date(2025, 3, 1)));
        assert_eq!(parsed("6mo"), Some(date(2025, 9, 1)));
        assert_eq!(parsed(" 90d "), Some(date(2025, 12, 1)));
        assert_eq!(parsed("2 weeks"), Some(date(2026, 2, 15)));
        assert_eq!(parsed("2025-01-02"), Some(date(2025, 1, 2)));
        for typed in ["", "6m", "0d", "-1y", "1y 2h", "soon"] {
            assert_eq!(parsed(typed), None, "{typed}");
        }
    }
}
