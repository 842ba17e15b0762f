//! References to documents that are gone or retired, and circles of supersession.

use super::{Conflict, Kind, Severity};
use crate::adr::{self, Adr};
use crate::document::{How, Reference};
use crate::supersession::Supersession;
use crate::{Document, path};

/// What a document may refer to.
pub struct Known<'a> {
    /// Every decision record.
    pub adrs: &'a [Adr],
    /// How they replaced each other.
    pub supersession: &'a Supersession<'a>,
    /// Says which document a name in `depends_on` means: a plan, or an agent of the same plan.
    pub by_name: &'a dyn Fn(&Document, &str) -> ByName,
    /// Says whether a file is there, by its path relative to the root.
    pub exists: &'a dyn Fn(&str) -> bool,
    /// Says why a document that is there should not be built on any more.
    pub retired: &'a dyn Fn(&str) -> Option<&'static str>,
    /// Says whether a path or a decision's id is in the archive.
    pub archived: &'a dyn Fn(&str) -> bool,
}

/// Which document a name means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ByName {
    /// This one.
    Document(String),
    /// One of several; which does not matter to whether it is there.
    Several,
    /// None.
    Nothing,
}

/// What a reference leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// A decision record, by position.
    Adr(usize),
    /// A document, by its path.
    Document(String),
    /// Something that is none of our business, or one of several.
    Elsewhere,
    /// Nothing.
    Nothing,
}

impl Known<'_> {
    /// Finds what a reference leads to.
    pub fn find(&self, document: &Document, reference: &Reference) -> Found {
        let target = reference.target.as_str();
        if reference.how == How::Link {
            return path::joined(&document.path, target)
                .map_or(Found::Elsewhere, |path| self.at(&path));
        }
        if target.contains('/') {
            let beside = path::joined(&document.path, target).map(|path| self.at(&path));
            return beside
                .filter(|found| *found != Found::Nothing)
                .unwrap_or_else(|| self.at(target));
        }
        if let Some(at) = self.find_adr(&document.path, target, reference.how) {
            return Found::Adr(at);
        }
        if reference.how == How::Mention || looks_like_id(target) {
            return Found::Nothing;
        }
        match (self.by_name)(document, target) {
            ByName::Document(path) => Found::Document(path),
            ByName::Several => Found::Elsewhere,
            ByName::Nothing => Found::Nothing,
        }
    }

    fn at(&self, path: &str) -> Found {
        match self.supersession.at_path(path) {
            Some(at) => Found::Adr(at),
            None if (self.exists)(path) => Found::Document(path.to_owned()),
            None => Found::Nothing,
        }
    }

    /// A record of the same folder is meant before one elsewhere, and one in force before a
    /// retired one.
    fn find_adr(&self, from: &str, id: &str, how: How) -> Option<usize> {
        let by_number = matches!(how, How::Field("supersedes" | "superseded_by"));
        if !looks_like_id(id) && !by_number && how != How::Mention {
            return None;
        }
        let number = id.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().ok();
        let named = (0..self.adrs.len()).filter(|_| number.is_none());
        let candidates =
            number.into_iter().flat_map(|number| self.supersession.numbered(number)).chain(named);
        let matches: Vec<usize> =
            candidates.filter(|&at| adr::id_matches(&self.adrs[at], id)).collect();
        let near = matches.iter().copied().find(|&at| is_near(from, &self.adrs[at].path));
        let in_force = matches.iter().copied().find(|&at| !is_retired(at, self));
        near.or(in_force).or(matches.first().copied())
    }
}

fn looks_like_id(target: &str) -> bool {
    target.to_uppercase().starts_with("ADR")
}

/// A record is near the documents of its own folder and of the folder above it.
fn is_near(from: &str, record: &str) -> bool {
    let home = path::folder(record);
    path::folder(from) == home || path::folder(from) == path::folder(home)
}

/// Returns the references of a document that lead to nothing, or to something retired.
pub fn references(document: &Document, known: &Known<'_>) -> Vec<Conflict> {
    let own = known.supersession.at_path(&document.path);
    if own.is_some_and(|at| is_retired(at, known)) {
        return vec![];
    }
    document
        .references
        .iter()
        .filter_map(|reference| judge(document, own, reference, known))
        .collect()
}

fn judge(
    document: &Document,
    own: Option<usize>,
    reference: &Reference,
    known: &Known<'_>,
) -> Option<Conflict> {
    let supersedes_it = matches!(reference.how, How::Field("supersedes" | "superseded_by"));
    let reason = match known.find(document, reference) {
        Found::Adr(at)
            if supersedes_it
                || own.is_some_and(|own| own == at || known.supersession.descends(own, at)) =>
        {
            return None;
        }
        Found::Adr(at) => adr_reason(at, known)?,
        Found::Document(_) if supersedes_it => return None,
        Found::Document(path) => (known.retired)(&path)?.to_owned(),
        Found::Elsewhere => return None,
        Found::Nothing => gone(document, reference, known),
    };
    Some(conflict(document, reference, &reason))
}

fn gone(document: &Document, reference: &Reference, known: &Known<'_>) -> String {
    let path = path::joined(&document.path, &reference.target);
    let archived =
        (known.archived)(&reference.target) || path.is_some_and(|path| (known.archived)(&path));
    if archived { "is archived".into() } else { "is not there".into() }
}

/// Returns whether nobody should build on a decision any more: it says so itself, or another that
/// took effect says that it replaced it.
fn is_retired(at: usize, known: &Known<'_>) -> bool {
    known.adrs[at].status.is_retired() || known.supersession.is_replaced(at)
}

fn adr_reason(at: usize, known: &Known<'_>) -> Option<String> {
    if !is_retired(at, known) {
        return None;
    }
    if known.adrs[at].status == adr::Status::Deprecated {
        return Some("is deprecated".into());
    }
    let successors: Vec<&str> =
        known.supersession.successors(at).map(|new| known.adrs[new].id.as_str()).collect();
    Some(match successors.as_slice() {
        [] => "is superseded".into(),
        several => format!("is superseded by {}", several.join(" and ")),
    })
}

fn conflict(document: &Document, reference: &Reference, reason: &str) -> Conflict {
    Conflict {
        kind: Kind::OrphanReference,
        severity: Severity::Critical,
        key: None,
        path: document.path.clone(),
        line: reference.line,
        message: format!("refers to {}, which {reason}", reference.target),
        sides: vec![],
        resolution: None,
        hint: "refer to what took its place, or remove the reference".into(),
    }
}

/// Returns the circles in which decisions supersede each other.
pub fn supersession(adrs: &[Adr], relation: &Supersession<'_>) -> Vec<Conflict> {
    relation
        .cycles()
        .into_iter()
        .map(|cycle| {
            let ids: Vec<&str> =
                cycle.iter().chain(cycle.first()).map(|&at| adrs[at].id.as_str()).collect();
            let first = &adrs[cycle[0]];
            Conflict {
                kind: Kind::CircularSupersession,
                severity: Severity::Critical,
                key: None,
                path: first.path.clone(),
                line: first.status_line,
                message: ids.join(" supersedes "),
                sides: vec![],
                resolution: None,
                hint: "remove the wrong `supersedes` or `superseded_by`".into(),
            }
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
        .map(|(number, front)| {
            adr::read(&format!("adrs/ADR-{number}-x.md"), &format!("---\n{front}\n---\n"))
        })
        .collect();
        let supersession = Supersession::new(&adrs);
        let by_name = |_: &Document, typed: &str| match typed.starts_with("0042") {
            true => ByName::Document("plans/0042-graph/plan.md".into()),
            false => ByName::Nothing,
        };
        let known = Known {
            adrs: &adrs,
            supersession: &supersession,
            by_name: &by_name,
            exists: &|path| path == "docs/a.md",
            retired: &|path| (path == "plans/0042-graph/plan.md").then_some("is deprecated"),
            archived: &|name| name == "ADR-0008" || name == "docs/old.md",
        };
        references(&Document::parse("docs/x.md", text), &known)
            .into_iter()
            .map(|conflict| format!("{}: {}", conflict.line, conflict.message))
            .collect()
    }

    #[test]
    fn retired_and_missing_targets_are_orphans() {
        assert_eq!(
            check(
                "ADR-0001, ADR-1\nADR-0002\nADR-0003\nADR-0009\n[a](a.md) [b](b.md)\n[c](../adrs/ADR-0002-x.md)\nADR-0008 [o](old.md)\n"
            ),
            [
                "2: refers to ADR-0002, which is superseded by ADR-0001",
                "3: refers to ADR-0003, which is deprecated",
                "4: refers to ADR-0009, which is not there",
                "5: refers to b.md, which is not there",
                "6: refers to ../adrs/ADR-0002-x.md, which is superseded by ADR-0001",
                "7: refers to ADR-0008, which is archived",
                "7: refers to old.md, which is archived",
            ]
        );
    }

    #[test]
    fn a_replaced_record_that_still_reads_as_accepted_is_retired() {
        assert_eq!(
            check("ADR-0004\nADR-0005\n"),
            ["1: refers to ADR-0004, which is superseded by ADR-0005"]
        );
    }

    #[test]
    fn depends_on_finds_plans_and_why_they_should_not_be_built_on() {
        assert_eq!(
            check("---\ndepends_on: [\"0042-Knowledge Graph Foundation\", 0043-gone]\n---\n"),
            [
                "2: refers to 0042-Knowledge Graph Foundation, which is deprecated",
                "2: refers to 0043-gone, which is not there"
            ]
        );
    }
}
