//! The documents of a context as candidates for a budget: their forms, and the order in which they are tried.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashSet;

use heirloom_core::document::{DocumentForm, smaller_form_of_data, smaller_forms};
use heirloom_core::hierarchy::{Hierarchy, Level};
use heirloom_core::staleness::Freshness;
use heirloom_core::{path, stage_summary};
use heirloom_store::layout::{self, DocumentRole, HierarchyDocument};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

use super::learnings::without_repeated_learnings;
use crate::workspace::catalog::id_of;
use crate::workspace::inherit::{Assessment, Inheritance};

/// Why a document is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LoadReason {
    /// The level always loads it.
    Always,
    /// It is the memory of the level, loaded if there is room.
    Memory,
    /// The level loads it if there is room.
    Conditional,
}

/// What the content of a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContentKind {
    /// The whole text.
    Text,
    /// The text after the front matter.
    Prose,
}

/// A level with its documents, the most important first.
#[derive(Debug)]
pub(crate) struct CandidateLayer {
    /// The name of the level.
    pub(crate) level: String,
    /// The most tokens that it may use.
    pub(crate) max_tokens: Option<usize>,
    /// The documents; those that are always loaded come first.
    pub(crate) documents: Vec<Candidate>,
}

/// A document that may be loaded.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    /// What relations and the usage log refer to it by.
    pub(crate) id: String,
    /// The path of the file.
    pub(crate) path: String,
    /// A short name, unique in its level: `claude_md`, `decision_001`.
    pub(crate) key: String,
    /// Why it is loaded.
    pub(crate) reason: LoadReason,
    /// The date of the last change, if known.
    pub(crate) updated: Option<Date>,
    /// The freshness.
    pub(crate) freshness: Freshness,
    /// The forms, the full one first.
    pub(crate) forms: Vec<(DocumentForm, String)>,
}

/// Returns the documents of a context by level, in the order in which levels are served: the most specific first.
/// Documents without content are left out.
pub(crate) fn candidate_layers(
    inherited: &Inheritance,
    hierarchy: &Hierarchy,
    content: ContentKind,
) -> Vec<CandidateLayer> {
    let layer = |level: &Level| {
        let placed = inherited.placed.iter().zip(&inherited.assessments);
        let placed = placed.filter(|(placed, _)| placed.level == level.name);
        let memories = placed.clone().filter(|(placed, _)| placed.role == DocumentRole::Memory);
        let memory: String = memories.map(|(placed, _)| placed.document.prose.as_str()).collect();
        let mut found: Vec<(LoadReason, usize, Candidate)> = placed
            .filter_map(|(placed, assessment)| {
                let reason = load_reason(level, placed);
                let candidate = candidate(level, placed, *assessment, reason, content, &memory)?;
                Some((reason, placed.pattern, candidate))
            })
            .collect();
        found.sort_by_key(|(reason, pattern, candidate)| {
            let by_date = (*reason == LoadReason::Conditional)
                .then(|| (Reverse(candidate.updated), candidate.path.clone()));
            (*reason as u8, *pattern, by_date)
        });
        let mut paths = HashSet::new();
        let mut documents: Vec<Candidate> = found
            .into_iter()
            .map(|(_, _, candidate)| candidate)
            .filter(|candidate| paths.insert(candidate.path.clone()))
            .collect();
        make_keys_unique(&mut documents);
        CandidateLayer { level: level.name.clone(), max_tokens: level.max_tokens, documents }
    };
    hierarchy.levels.iter().rev().map(layer).collect()
}

fn load_reason(level: &Level, placed: &HierarchyDocument) -> LoadReason {
    match placed.role {
        DocumentRole::Memory => LoadReason::Memory,
        _ if placed.pattern < level.additional.len() + level.always.len() => LoadReason::Always,
        _ => LoadReason::Conditional,
    }
}

fn candidate(
    level: &Level,
    placed: &HierarchyDocument,
    assessment: Assessment,
    reason: LoadReason,
    content: ContentKind,
    memory: &str,
) -> Option<Candidate> {
    let document = &placed.document;
    // A file that could not be read, such as one with conflict markers, is reported and left out.
    if document.prose.is_empty() && !document.problems.is_empty() {
        return None;
    }
    let full = match content {
        ContentKind::Text => placed.text.trim_end(),
        ContentKind::Prose => document.prose.trim(),
    };
    let full = stage_summary::without_mark(full);
    let full = match layout::is_markdown(&document.path) {
        true => Cow::Borrowed(full),
        false => without_repeated_learnings(full, memory),
    };
    if full.trim().is_empty() {
        return None;
    }
    let smaller = match layout::is_markdown(&document.path) {
        true => smaller_forms(document),
        false => smaller_form_of_data(&full).into_iter().collect(),
    };
    let pattern = level.patterns().nth(placed.pattern).unwrap_or_default();
    Some(Candidate {
        id: id_of(placed),
        path: document.path.clone(),
        key: key(&document.path, pattern.contains('*')),
        reason,
        updated: assessment.updated,
        freshness: assessment.staleness.status,
        forms: std::iter::once((DocumentForm::Full, full.into_owned())).chain(smaller).collect(),
    })
}

/// Returns the key of a document: the name of its file (`claude_md`), or for one of several in a folder the folder in
/// the singular and the name (`decision_001-auth`).
fn key(path: &str, is_one_of_several: bool) -> String {
    let folder = path::file_name(path::folder(path)).trim_end_matches('s');
    match is_one_of_several && !folder.is_empty() {
        true => format!("{folder}_{}", path::stem(path)),
        false => path::file_name(path).to_lowercase().replace('.', "_"),
    }
}

/// Adds the extension to keys that occur twice.
fn make_keys_unique(documents: &mut [Candidate]) {
    let keys: Vec<String> = documents.iter().map(|document| document.key.clone()).collect();
    for document in documents {
        if keys.iter().filter(|key| **key == document.key).count() > 1 {
            let extension = path::file_name(&document.path).rsplit('.').next().unwrap_or_default();
            document.key = format!("{}_{extension}", document.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_short_names_of_files() {
        assert_eq!(key("CLAUDE.md", false), "claude_md");
        assert_eq!(key(".memory/project/decisions/001-auth.md", true), "decision_001-auth");
        assert_eq!(key(".memory/stage/coding/artifacts/design.json", true), "artifact_design");
        assert_eq!(key("notes.md", true), "notes_md");
    }
}
