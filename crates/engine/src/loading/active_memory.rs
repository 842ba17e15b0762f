//! Applies the log to the memory documents of a context: retired entries are left out.

use heirloom_core::Document;
use heirloom_core::conflict::{self, Conflict, DecisionSource};
use heirloom_core::fold::{Memory, Standing};
use heirloom_core::memory::{self, MemoryEntries, MemoryEntry};
use heirloom_core::record::Referent;
use heirloom_store::layout::HierarchyDocument;
use heirloom_store::log::Log;

use crate::memory::{MemoryItem, MemoryQuery, MemorySlice, active_prose, pins_of_request};
use crate::workspace::inherit::Inheritance;
use crate::workspace::template;
use crate::{Error, Session};

/// Returns the pinned memories. Removes retired entries from the inherited memory documents, and adds
/// conflicts between the decisions in them.
pub(crate) fn apply_memory(
    session: &Session,
    inherited: &mut Inheritance,
) -> Result<Vec<MemoryItem>, Error> {
    let memories = inherited.placed.iter().filter(|placed| is_memory(placed));
    let cached_entries: Vec<MemoryEntries> = memories
        .map(|placed| {
            let format = placed.role.memory_format().unwrap_or_default();
            memory::read_as(format, &placed.document.path, &placed.text)
        })
        .collect();
    let known = read_log_if_needed(session, inherited, &cached_entries)?;
    let empty = Memory::default();
    let memory = known.as_ref().map_or(&empty, |known| &known.memory);
    for placed in inherited.placed.iter_mut().filter(|placed| is_memory(placed)) {
        let format = placed.role.memory_format().unwrap_or_default();
        let prose = active_prose(memory, format, &placed.document, &placed.text);
        let prose = template::without_template_text(&prose);
        if let Some(head) = placed.text.strip_suffix(placed.document.prose.as_str()) {
            placed.text = format!("{head}{prose}");
        }
        if prose != placed.document.prose {
            // Headings moved with the lines before them.
            let read = Document::parse(&placed.document.path, &placed.text);
            placed.document.headings = read.headings;
        }
        placed.document.prose = prose;
    }
    let conflicts = decision_conflicts(inherited, &cached_entries, memory);
    inherited.conflicts.extend(conflicts);
    inherited.problems.extend(cached_entries.into_iter().flat_map(|content| content.problems));
    inherited.problems.extend(known.iter().flat_map(|known| known.problems.iter().cloned()));
    inherited.problems.sort();
    inherited.problems.dedup();
    Ok(known.map(|known| pins_of_request(session, &known)).unwrap_or_default())
}

fn is_memory(placed: &HierarchyDocument) -> bool {
    placed.role.memory_format().is_some()
}

/// Reads the log if something is pinned or an entry has a written id. Events in the log refer only to
/// entries with a written id, so in all other cases the log cannot change the context.
fn read_log_if_needed(
    session: &Session,
    inherited: &Inheritance,
    cached_entries: &[MemoryEntries],
) -> Result<Option<MemorySlice>, Error> {
    let local = Log::read_local(session.root());
    let has_pins = !local.lines.is_empty() || !local.problems.is_empty();
    let mut memories = inherited.placed.iter().filter(|placed| is_memory(placed));
    if !has_pins && !memories.any(|placed| placed.text.contains("<!-- id:")) {
        return Ok(None);
    }
    // The query finds entries of the default hierarchy only, and these may belong to another one.
    let entries = cached_entries.iter().flat_map(|content| &content.entries);
    let entries = entries.map(|entry| Referent::entry(&entry.id));
    Ok(Some(MemoryQuery::new().pinned().referents_without_relations(entries).read(session)?))
}

/// Returns the conflicts between active decisions of the plan's memory and of its agents'.
fn decision_conflicts(
    inherited: &Inheritance,
    cached_entries: &[MemoryEntries],
    memory: &Memory,
) -> Vec<Conflict> {
    let is_active =
        |entry: &&MemoryEntry| memory.standing(&Referent::entry(&entry.id)) == Standing::Active;
    let memories = inherited.placed.iter().filter(|placed| is_memory(placed));
    let sources: Vec<DecisionSource<'_>> = memories
        .zip(cached_entries)
        .map(|(placed, content)| DecisionSource {
            level: &placed.level,
            owner: placed.selectors.last().map_or("", |(_, name)| name),
            path: &placed.document.path,
            entries: content.entries.iter().filter(is_active).collect(),
        })
        .collect();
    let (plans, agents): (Vec<_>, Vec<_>) =
        sources.into_iter().partition(|source| source.level == "plan");
    conflict::find_decision_conflicts(plans.first(), &agents)
}

/// Removes documents that contain only template text.
pub(crate) fn remove_unedited(inherited: &mut Inheritance) {
    let unedited = &inherited.unedited;
    let is_edited = |placed: &HierarchyDocument| !unedited.contains(&placed.document.path);
    let edited: Vec<bool> = inherited.placed.iter().map(is_edited).collect();
    let mut flags = edited.iter();
    inherited.placed.retain(|_| flags.next() == Some(&true));
    let mut flags = edited.iter();
    inherited.assessments.retain(|_| flags.next() == Some(&true));
}
