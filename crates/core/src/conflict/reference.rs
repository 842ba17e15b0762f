//! References to missing or retired documents, and cycles of supersession.

use super::{Conflict, ConflictKind, Severity};
use crate::adr::{self, Adr};
use crate::document::{self, LinkField, Reference, ReferenceKind};
use crate::supersession::Supersession;
use crate::{Document, path};

/// The documents that references are resolved against.
pub struct ReferenceResolver<'a> {
    /// Every decision record.
    pub adrs: &'a [Adr],
    /// Which records replaced which.
    pub supersession: &'a Supersession<'a>,
    /// Finds the document that a name in `depends_on` means: a plan, or an agent of the same plan.
    pub by_name: &'a dyn Fn(&Document, &str) -> NameLookup,
    /// Finds the document with exactly this name, for wiki links and words.
    pub by_exact_name: &'a dyn Fn(&Document, &str) -> NameLookup,
    /// Returns whether a file exists, by its path relative to the root.
    pub exists: &'a dyn Fn(&str) -> bool,
    /// Returns why an existing document should no longer be relied on, if it should not.
    pub retirement_reason: &'a dyn Fn(&str) -> Option<&'static str>,
    /// Returns whether a path or a decision's id is in the archive.
    pub is_archived: &'a dyn Fn(&str) -> bool,
}

/// The result of looking up a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameLookup {
    /// The path of the one document with that name.
    Document(String),
    /// Several documents have that name.
    Ambiguous,
    /// No document has that name.
    NotFound,
}

impl From<NameLookup> for ResolvedReference {
    fn from(found: NameLookup) -> Self {
        match found {
            NameLookup::Document(path) => ResolvedReference::Document(path),
            NameLookup::Ambiguous => ResolvedReference::External,
            NameLookup::NotFound => ResolvedReference::Nothing,
        }
    }
}

/// The result of resolving a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResolvedReference {
    /// A decision record, by its index.
    Adr(usize),
    /// A document, by its path.
    Document(String),
    /// A target outside the workspace, or one of several documents.
    External,
    /// No target exists.
    Nothing,
}

impl ReferenceResolver<'_> {
    /// Resolves a reference of a document.
    pub fn resolve(&self, document: &Document, reference: &Reference) -> ResolvedReference {
        let target = reference.target.as_str();
        match reference.kind {
            ReferenceKind::Link => path::resolve_link(&document.path, target)
                .map_or(ResolvedReference::External, |path| self.find_path(&path)),
            ReferenceKind::Wiki => self.find_wiki(document, target),
            ReferenceKind::Word => self.find_word(document, target),
            ReferenceKind::Field(_) | ReferenceKind::Mention => {
                self.find_name_or_path(document, target, reference.kind)
            }
        }
    }

    /// Finds the target of a front-matter field or of a mention.
    fn find_name_or_path(
        &self,
        document: &Document,
        target: &str,
        how: ReferenceKind,
    ) -> ResolvedReference {
        if target.contains('/') {
            let relative =
                path::resolve_link(&document.path, target).map(|path| self.find_path(&path));
            return relative
                .filter(|found| *found != ResolvedReference::Nothing)
                .unwrap_or_else(|| self.find_path(target));
        }
        let stem = document::strip_extension(target);
        if stem.len() < target.len() || looks_like_id(target) {
            let by_file = self.choose(&document.path, self.supersession.indexes_with_stem(stem));
            if let Some(index) = by_file {
                return ResolvedReference::Adr(index);
            }
        }
        if let Some(index) = self.find_adr(&document.path, target, how) {
            return ResolvedReference::Adr(index);
        }
        if how == ReferenceKind::Mention || looks_like_id(target) {
            return ResolvedReference::Nothing;
        }
        (self.by_name)(document, target).into()
    }

    /// Returns whether a reference has no target although it requires one.
    ///
    /// A word may be anything, and a wiki link may lead to a note outside the workspace. In a workspace
    /// that never had records, the id of a record in a text is an example.
    pub fn is_broken(&self, document: &Document, reference: &Reference) -> bool {
        let requires_target = match reference.kind {
            ReferenceKind::Word => false,
            ReferenceKind::Wiki => document::is_plan_or_adr_name(&reference.target),
            ReferenceKind::Mention => {
                !self.adrs.is_empty() || (self.is_archived)(&reference.target)
            }
            ReferenceKind::Field(_) | ReferenceKind::Link => true,
        };
        requires_target && self.resolve(document, reference) == ResolvedReference::Nothing
    }

    /// Finds the target of a wiki link: a path relative to the document or to the root, the file of a
    /// record, the id of an ADR, or the name of a plan, an agent, a project or a context document.
    fn find_wiki(&self, document: &Document, target: &str) -> ResolvedReference {
        let stem = document::strip_extension(target);
        if target.contains('/') || stem.len() < target.len() {
            let file =
                if stem.len() < target.len() { target.to_owned() } else { format!("{target}.md") };
            let relative = path::resolve_link(&document.path, &file);
            let from_root = path::resolve_link("", &file);
            let mut found = relative.into_iter().chain(from_root).map(|path| self.find_path(&path));
            if let Some(found) = found.find(|found| *found != ResolvedReference::Nothing) {
                return found;
            }
        }
        let name = path::file_name(stem);
        let with_stem = self.supersession.indexes_with_stem(name);
        if let Some(index) = self.choose(&document.path, with_stem) {
            return ResolvedReference::Adr(index);
        }
        // The main document of a plan may be called after its folder: `0043-auth-plan.md`.
        let names = std::iter::once(name).chain(name.strip_suffix("-plan"));
        let mut found = names.map(|name| self.find_word(document, name));
        found
            .find(|found| *found != ResolvedReference::Nothing)
            .unwrap_or(ResolvedReference::Nothing)
    }

    /// Finds the record with this id, or the document with exactly this name.
    fn find_word(&self, document: &Document, name: &str) -> ResolvedReference {
        if looks_like_id(name) {
            let record = self.find_adr(&document.path, name, ReferenceKind::Word);
            return record.map_or(ResolvedReference::Nothing, ResolvedReference::Adr);
        }
        (self.by_exact_name)(document, name).into()
    }

    fn find_path(&self, path: &str) -> ResolvedReference {
        match self.supersession.index_of_path(path) {
            Some(index) => ResolvedReference::Adr(index),
            None if (self.exists)(path) => ResolvedReference::Document(path.to_owned()),
            None => ResolvedReference::Nothing,
        }
    }

    /// Finds the record that an id in the document `from` means. Outside `supersedes` and
    /// `superseded_by`, only text that starts with `ADR` is an id.
    fn find_adr(&self, from: &str, id: &str, how: ReferenceKind) -> Option<usize> {
        let by_number =
            matches!(how, ReferenceKind::Field(LinkField::Supersedes | LinkField::SupersededBy));
        if !looks_like_id(id) && !by_number && how != ReferenceKind::Mention {
            return None;
        }
        let number = id.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().ok();
        let all_if_unnumbered = (0..self.adrs.len()).filter(|_| number.is_none());
        let candidates = number
            .into_iter()
            .flat_map(|number| self.supersession.indexes_with_number(number))
            .chain(all_if_unnumbered);
        let matches: Vec<usize> =
            candidates.filter(|&index| adr::has_id(&self.adrs[index], id)).collect();
        self.choose(from, &matches)
    }

    /// Chooses among records: one near the document `from` if there is one, else one that is not
    /// retired, else the first.
    fn choose(&self, from: &str, matches: &[usize]) -> Option<usize> {
        let near = matches.iter().copied().find(|&index| is_near(from, &self.adrs[index].path));
        let in_force = matches.iter().copied().find(|&index| !is_retired(index, self));
        near.or(in_force).or(matches.first().copied())
    }
}

fn looks_like_id(target: &str) -> bool {
    target.to_uppercase().starts_with("ADR")
}

/// Returns whether a record is in the folder of the document `from`, or in a direct subfolder of it.
pub fn is_near(from: &str, record: &str) -> bool {
    let record_folder = path::folder(record);
    path::folder(from) == record_folder || path::folder(from) == path::folder(record_folder)
}

/// Returns a conflict for every reference of a document to a missing or retired target. A retired
/// record may refer to anything.
pub fn find_broken_references(document: &Document, known: &ReferenceResolver<'_>) -> Vec<Conflict> {
    let record = known.supersession.index_of_path(&document.path);
    if record.is_some_and(|index| is_retired(index, known)) {
        return vec![];
    }
    document
        .references
        .iter()
        .filter_map(|reference| check_reference(document, record, reference, known))
        .collect()
}

/// Returns a conflict if a reference has a missing or retired target. `record` is the index of the
/// document if it is a record.
fn check_reference(
    document: &Document,
    record: Option<usize>,
    reference: &Reference,
    known: &ReferenceResolver<'_>,
) -> Option<Conflict> {
    // A word adds an edge to the graph if it has a target, and requires none.
    if reference.kind == ReferenceKind::Word {
        return None;
    }
    let is_supersession = matches!(
        reference.kind,
        ReferenceKind::Field(LinkField::Supersedes | LinkField::SupersededBy)
    );
    let is_self_or_predecessor = |target: usize| {
        record.is_some_and(|record| {
            record == target || known.supersession.is_descendant(record, target)
        })
    };
    let reason = match known.resolve(document, reference) {
        ResolvedReference::Adr(index) if is_supersession || is_self_or_predecessor(index) => {
            return None;
        }
        ResolvedReference::Adr(index) => retirement_reason(index, known)?,
        ResolvedReference::Document(_) if is_supersession => return None,
        ResolvedReference::Document(path) => (known.retirement_reason)(&path)?.to_owned(),
        ResolvedReference::External => return None,
        ResolvedReference::Nothing if !known.is_broken(document, reference) => return None,
        ResolvedReference::Nothing => missing_reason(document, reference, known),
    };
    Some(conflict(document, reference, &reason))
}

fn missing_reason(
    document: &Document,
    reference: &Reference,
    known: &ReferenceResolver<'_>,
) -> String {
    let path = path::resolve_link(&document.path, &reference.target);
    let is_archived = (known.is_archived)(&reference.target)
        || path.is_some_and(|path| (known.is_archived)(&path));
    if is_archived { "is archived".into() } else { "does not exist".into() }
}

/// Returns whether new work should no longer rely on a decision, by its own status or because another
/// decision replaced it.
fn is_retired(index: usize, known: &ReferenceResolver<'_>) -> bool {
    known.adrs[index].status.is_retired() || known.supersession.is_replaced(index)
}

fn retirement_reason(index: usize, known: &ReferenceResolver<'_>) -> Option<String> {
    if !is_retired(index, known) {
        return None;
    }
    if known.adrs[index].status == adr::Status::Deprecated {
        return Some("is deprecated".into());
    }
    let successors: Vec<&str> =
        known.supersession.successors(index).map(|new| known.adrs[new].id.as_str()).collect();
    Some(match successors.as_slice() {
        [] => "is superseded".into(),
        successors => format!("is superseded by {}", successors.join(" and ")),
    })
}

fn conflict(document: &Document, reference: &Reference, reason: &str) -> Conflict {
    Conflict::at(
        ConflictKind::OrphanReference,
        Severity::Critical,
        (&document.path, reference.line),
        format!("refers to {}, which {reason}", reference.target),
        "refer to its replacement, or remove the reference",
    )
}

/// Returns a conflict for every cycle in which decisions supersede each other.
pub fn find_supersession_cycles(adrs: &[Adr], relation: &Supersession<'_>) -> Vec<Conflict> {
    relation
        .cycles()
        .into_iter()
        .map(|cycle| {
            let ids: Vec<&str> =
                cycle.iter().chain(cycle.first()).map(|&index| adrs[index].id.as_str()).collect();
            let first = &adrs[cycle[0]];
            Conflict::at(
                ConflictKind::CircularSupersession,
                Severity::Critical,
                (&first.path, first.status_line),
                ids.join(" supersedes "),
                "remove the wrong `supersedes` or `superseded_by`",
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Vec<String> {
        let adrs: Vec<Adr> = [
            ("0001", "status: accepted"),
            ("0002", "status: superseded\nsuperseded_by: ADR-0001"),
            ("0003", "status: deprecated"),
            ("0004", "status: accepted"),
            ("0005", "status: accepted\nsupersedes: [ADR-0004]"),
            ("0006", "status: proposed\nsupersedes: [ADR-0005]"),
        ]
        .iter()
        .map(|(number, yaml)| {
            adr::read(&format!("adrs/ADR-{number}-x.md"), &format!("---\n{yaml}\n---\n"))
        })
        .collect();
        let supersession = Supersession::new(&adrs);
        let by_name = |_: &Document, typed: &str| match typed.starts_with("0042") {
            true => NameLookup::Document("plans/0042-graph/plan.md".into()),
            false => NameLookup::NotFound,
        };
        let known = ReferenceResolver {
            adrs: &adrs,
            supersession: &supersession,
            by_name: &by_name,
            by_exact_name: &|_, name| match name {
                "0042-graph" => NameLookup::Document("plans/0042-graph/plan.md".into()),
                _ => NameLookup::NotFound,
            },
            exists: &|path| path == "docs/a.md",
            retirement_reason: &|path| {
                (path == "plans/0042-graph/plan.md").then_some("is deprecated")
            },
            is_archived: &|name| name == "ADR-0008" || name == "docs/old.md",
        };
        find_broken_references(&Document::parse("docs/x.md", text), &known)
            .into_iter()
            .map(|conflict| format!("{}: {}", conflict.line, conflict.message))
            .collect()
    }

    #[test]
    fn references_to_retired_and_missing_targets_are_reported() {
        assert_eq!(
            check(
                "ADR-0001, ADR-1\nADR-0002\nADR-0003\nADR-0009\n[a](a.md) [b](b.md)\n[c](../adrs/ADR-0002-x.md)\nADR-0008 [o](old.md)\n"
            ),
            [
                "2: refers to ADR-0002, which is superseded by ADR-0001",
                "3: refers to ADR-0003, which is deprecated",
                "4: refers to ADR-0009, which does not exist",
                "5: refers to b.md, which does not exist",
                "6: refers to ../adrs/ADR-0002-x.md, which is superseded by ADR-0001",
                "7: refers to ADR-0008, which is archived",
                "7: refers to old.md, which is archived",
            ]
        );
    }

    #[test]
    fn a_field_may_name_a_record_by_its_file() {
        assert_eq!(
            check("---\ndepends_on: [ADR-0001-x.md, ADR-0001-x, ADR-0003-x.md]\n---\n"),
            ["2: refers to ADR-0003-x.md, which is deprecated"]
        );
    }

    #[test]
    fn wiki_links_are_checked_and_words_are_not() {
        assert_eq!(
            check(
                "[[ADR-0001]] [[adr-0003-x|old]]\n[[0042-graph#Goals]] [[0042-graph-plan]]\n[[0043-gone]] [[ADR-0099]]\n[[a]] [[docs/a]] [[a.md]] [[Meeting notes]] [[diagram.png]]\n0042-graph, 0043-gone, `ADR-0003`, `ADR-0099`\n"
            ),
            [
                "1: refers to adr-0003-x, which is deprecated",
                "2: refers to 0042-graph, which is deprecated",
                "2: refers to 0042-graph-plan, which is deprecated",
                "3: refers to 0043-gone, which does not exist",
                "3: refers to ADR-0099, which does not exist",
            ]
        );
    }

    #[test]
    fn a_replaced_record_that_is_still_accepted_is_retired() {
        assert_eq!(
            check("ADR-0004\nADR-0005\n"),
            ["1: refers to ADR-0004, which is superseded by ADR-0005"]
        );
    }

    #[test]
    fn depends_on_finds_plans_and_reports_retired_ones() {
        assert_eq!(
            check("---\ndepends_on: [\"0042-Knowledge Graph Foundation\", 0043-gone]\n---\n"),
            [
                "2: refers to 0042-Knowledge Graph Foundation, which is deprecated",
                "2: refers to 0043-gone, which does not exist"
            ]
        );
    }
}
