//! Entries that an agent must not overlook: pins, open blockers and questions, contradictions, and the memory of its plan.

use std::collections::HashMap;

use heirloom_core::assembly::Tier;
use heirloom_core::conflict::{Conflict, Severity};
use heirloom_core::fold::Standing;
use heirloom_core::hierarchy::Selectors;
use heirloom_core::memory::{EntryKind, MemoryFormat};
use heirloom_core::record::Referent;

use super::entry::{Entry, Section};
use crate::memory::{
    MemoryItem, MemoryQuery, MemorySlice, OpenContradiction, OriginCheck, pins_of_request,
};
use crate::recall::Hit;
use crate::workspace::inherit::Inheritance;
use crate::workspace::memory_document::MemoryDocument;
use crate::{Error, Session};

/// The value of what an agent must not overlook.
const OPEN_VALUE: f64 = 0.9;

/// The value of a decision of the agent's own plan.
const PLAN_DECISION_VALUE: f64 = 0.7;

/// The value of any other memory of the agent's own plan.
const PLAN_MEMORY_VALUE: f64 = 0.3;

/// Maximum number of open blockers and questions if no plan is named.
const MAX_OPEN: usize = 5;

/// Maximum number of contradictions.
const MAX_CONTRADICTIONS: usize = 5;

/// Reads what is pinned, what was forked and what contradicts. Memory documents take long to read, so they are read only
/// if an entry of theirs may be among it: without a question, for a selected level, or if a decision answers a question.
pub(super) fn read_memory(
    session: &Session,
    selectors: &Selectors,
    answers: Option<&[Entry]>,
) -> Result<MemorySlice, Error> {
    let query = || MemoryQuery::new().pinned().related().contradictions();
    let may_be_decision = |entry: &Entry| match &entry.referent {
        Some(Referent::Entry(_)) => entry.kind == EntryKind::Decision.as_str(),
        // The author of a record may have named an entry as its source.
        Some(Referent::Record(_)) => entry.source.contains(".md:"),
        _ => false,
    };
    let has_decision = answers.is_none_or(|answers| answers.iter().any(may_be_decision));
    if !has_decision && selectors.is_empty() {
        let known = query().read_without_documents(session);
        if !known.names_entries() {
            return Ok(known);
        }
    }
    query().read(session)
}

/// Returns the pinned memories.
pub(super) fn pins(session: &Session, known: &MemorySlice) -> Result<Vec<Entry>, Error> {
    let mut check = OriginCheck::new(session);
    let mut entries = Vec::new();
    for item in pins_of_request(session, known) {
        let hit = Hit::new(session, &mut check, item)?;
        let pin = Entry::of_hit(&hit, Tier::Critical, Section::Standing, 1.0, "pinned");
        entries.push(Entry { is_first: true, ..pin });
    }
    Ok(entries)
}

/// Returns the memory of the selected levels, such as a plan and its agent: open blockers and questions, decisions,
/// findings and lessons. If nothing is selected, returns the newest open blockers and questions of all if
/// `is_open_wanted`.
pub(super) fn memory_of_levels(
    session: &Session,
    known: &MemorySlice,
    inherited: &Inheritance,
    is_open_wanted: bool,
) -> Result<Vec<Entry>, Error> {
    let selectors = &inherited.selectors;
    let is_own = |document: &MemoryDocument| {
        let mut names = document.selectors.iter();
        !document.selectors.is_empty()
            && names.all(|(level, name)| selectors.get(level) == Some(name))
    };
    let is_any_wanted = selectors.is_empty() && is_open_wanted;
    // Decisions and lessons in files of their own are many, so recall chooses those that answer the task.
    let is_read = |document: &MemoryDocument| {
        document.format == MemoryFormat::Sections && (is_own(document) || is_any_wanted)
    };
    // Memory knows the documents of the default hierarchy only.
    let is_other = inherited.hierarchy != session.config()?.hierarchy;
    let of_other = is_other.then(|| {
        let placed = inherited.placed.iter();
        let memories = placed.filter(|placed| placed.role.memory_format().is_some()).cloned();
        MemoryQuery::new().read_with_documents(session, memories)
    });
    let known = of_other.as_ref().unwrap_or(known);
    known.prefetch_entry_dates(known.documents.iter().filter(|document| is_read(document)));
    let entries = known.entries().filter(|(document, _)| is_read(document));
    let mut items: Vec<(EntryKind, &str, MemoryItem)> = entries
        .map(|(document, entry)| {
            let item = MemoryItem::of_entry(&known.memory, document, entry);
            (entry.kind, level_name(document), item)
        })
        .filter(|(kind, _, item)| item.standing == Standing::Active && *kind != EntryKind::Session)
        .filter(|(kind, _, item)| !kind.is_task() || !item.resolved)
        .filter(|(kind, _, _)| !selectors.is_empty() || kind.is_task())
        .collect();
    if selectors.is_empty() {
        items.sort_by(|(_, _, a), (_, _, b)| b.date.cmp(&a.date).then_with(|| a.id.cmp(&b.id)));
        items.truncate(MAX_OPEN);
    }
    let mut check = OriginCheck::new(session);
    let mut found = Vec::new();
    for (kind, level, item) in items {
        let (tier, value, reason) = match kind {
            EntryKind::Blocker => (Tier::Critical, OPEN_VALUE, "open blocker".to_owned()),
            EntryKind::Question => (Tier::Critical, OPEN_VALUE, "open question".to_owned()),
            EntryKind::Decision => {
                (Tier::Critical, PLAN_DECISION_VALUE, format!("decision of the {level}"))
            }
            _ => (Tier::Relevant, PLAN_MEMORY_VALUE, format!("memory of the {level}")),
        };
        let hit = Hit::new(session, &mut check, item)?;
        found.push(Entry::of_hit(&hit, tier, Section::Standing, value, &reason));
    }
    Ok(found)
}

/// Returns the level whose memory a document is. The memory of an agent is part of that of its plan.
fn level_name(document: &MemoryDocument) -> &str {
    if document.selectors.contains_key("plan") { "plan" } else { &document.level }
}

/// Returns the open contradictions: between the documents of the agent's levels, and between memories. With `answers`,
/// returns only those of memories among them, each in the section of the answer if that section changes.
pub(super) fn contradictions(
    session: &Session,
    inherited: &Inheritance,
    known: &MemorySlice,
    answers: Option<&[Entry]>,
) -> Vec<Entry> {
    let of_documents = inherited.conflicts.iter().cloned();
    let of_documents = of_documents.filter(|conflict| conflict.severity >= Severity::Critical);
    let plan = inherited.selectors.get("plan").map(String::as_str);
    let source = |conflict: &Conflict| format!("{}:{}", conflict.path, conflict.line);
    let as_open = |conflict: Conflict| OpenContradiction {
        sources: vec![source(&conflict)],
        selectors: vec![],
        conflict,
    };
    let sections: Option<HashMap<&str, Section>> = answers.map(|answers| {
        let by_source = answers.iter().rev().map(|entry| (entry.source.as_str(), entry.section));
        by_source.collect()
    });
    let section = |open: &OpenContradiction| match &sections {
        Some(sections) => open.sources.iter().find_map(|source| sections.get(source.as_str())),
        None => Some(&Section::Standing),
    };
    let of_plan = plan.map(|plan| known.conflicts(Some(plan))).unwrap_or_default();
    let stated = known.conflicts(None).into_iter().map(as_open);
    let of_memories = stated.chain(known.open_contradictions(session.today()));
    let mut all: Vec<OpenContradiction> = of_documents.chain(of_plan).map(as_open).collect();
    for open in of_memories {
        if all.len() >= MAX_CONTRADICTIONS {
            break;
        }
        let is_meant = section(&open).is_some() && !open.is_elsewhere(&inherited.selectors);
        if is_meant && !all.iter().any(|other| other.conflict == open.conflict) {
            all.push(open);
        }
    }
    all.truncate(MAX_CONTRADICTIONS);
    let entry = |open: OpenContradiction| {
        let section = section(&open).copied().filter(|section| section.changes());
        let conflict = open.conflict;
        let (source, text) = (source(&conflict), format!("Contradiction: {}", conflict.message));
        let (tier, reason) = (Tier::Critical, "open contradiction");
        let entry = Entry::of_text(tier, OPEN_VALUE, reason, "conflict", &source, &text);
        Entry { section: section.unwrap_or(Section::Standing), ..entry }
    };
    all.into_iter().map(entry).collect()
}
