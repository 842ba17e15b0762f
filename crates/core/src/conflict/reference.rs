//! References to documents that are gone or retired, and circles of supersession.

use super::{Conflict, Kind, Severity};
use crate::adr::{self, Adr};
use crate::document::{self, How, LinkField, Reference};
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
    /// Says which document has exactly this name, as wiki links and words name it.
    pub by_exact_name: &'a dyn Fn(&Document, &str) -> ByName,
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

impl From<ByName> for Found {
    fn from(found: ByName) -> Self {
        match found {
            ByName::Document(path) => Found::Document(path),
            ByName::Several => Found::Elsewhere,
            ByName::Nothing => Found::Nothing,
        }
    }
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
        if reference.how == How::Wiki {
            return self.find_wiki(document, target);
        }
        if reference.how == How::Word {
            return self.find_word(document, target);
        }
        if target.contains('/') {
            let beside = path::joined(&document.path, target).map(|path| self.at(&path));
            return beside
                .filter(|found| *found != Found::Nothing)
                .unwrap_or_else(|| self.at(target));
        }
        let stem = document::without_ending(target);
        if stem.len() < target.len() || looks_like_id(target) {
            let by_file = self.choose(&document.path, self.supersession.with_stem(stem));
            if let Some(at) = by_file {
                return Found::Adr(at);
            }
        }
        if let Some(at) = self.find_adr(&document.path, target, reference.how) {
            return Found::Adr(at);
        }
        if reference.how == How::Mention || looks_like_id(target) {
            return Found::Nothing;
        }
        (self.by_name)(document, target).into()
    }

    /// Returns whether a reference leads to nothing although it must lead somewhere. A word may be
    /// anything, and a wiki link may lead to a note that is no document of this workspace. The id of a
    /// record in a text is an example where the workspace has, and had, no records.
    pub fn is_broken(&self, document: &Document, reference: &Reference) -> bool {
        let must_lead_somewhere = match reference.how {
            How::Word => false,
            How::Wiki => document::names_plan_or_adr(&reference.target),
            How::Mention => !self.adrs.is_empty() || (self.archived)(&reference.target),
            How::Field(_) | How::Link => true,
        };
        must_lead_somewhere && self.find(document, reference) == Found::Nothing
    }

    /// Finds what a wiki link leads to: a path from here or from the root, the file of a record, an
    /// ADR's id, or the name of a plan, an agent, a project or a context document.
    fn find_wiki(&self, document: &Document, target: &str) -> Found {
        let stem = document::without_ending(target);
        if target.contains('/') || stem.len() < target.len() {
            let file =
                if stem.len() < target.len() { target.to_owned() } else { format!("{target}.md") };
            let beside = path::joined(&document.path, &file);
            let from_root = path::joined("", &file);
            let mut found = beside.into_iter().chain(from_root).map(|path| self.at(&path));
            if let Some(found) = found.find(|found| *found != Found::Nothing) {
                return found;
            }
        }
        let name = path::file_name(stem);
        let with_stem = self.supersession.with_stem(name);
        if let Some(at) = self.choose(&document.path, with_stem) {
            return Found::Adr(at);
        }
        let of_plan = name.strip_suffix("-plan");
        let names = std::iter::once(name).chain(of_plan);
        let mut found = names.map(|name| self.find_word(document, name));
        found.find(|found| *found != Found::Nothing).unwrap_or(Found::Nothing)
    }

    /// Finds the record or document that has exactly this name.
    fn find_word(&self, document: &Document, name: &str) -> Found {
        if looks_like_id(name) {
            let record = self.find_adr(&document.path, name, How::Word);
            return record.map_or(Found::Nothing, Found::Adr);
        }
        (self.by_exact_name)(document, name).into()
    }

    fn at(&self, path: &str) -> Found {
        match self.supersession.at_path(path) {
            Some(at) => Found::Adr(at),
            None if (self.exists)(path) => Found::Document(path.to_owned()),
            None => Found::Nothing,
        }
    }

    /// Finds the record that an id means. A record of the same folder is meant before one elsewhere,
    /// and one in force before a retired one.
    fn find_adr(&self, from: &str, id: &str, how: How) -> Option<usize> {
        let by_number = matches!(how, How::Field(LinkField::Supersedes | LinkField::SupersededBy));
        if !looks_like_id(id) && !by_number && how != How::Mention {
            return None;
        }
        let number = id.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().ok();
        let named = (0..self.adrs.len()).filter(|_| number.is_none());
        let candidates =
            number.into_iter().flat_map(|number| self.supersession.numbered(number)).chain(named);
        let matches: Vec<usize> =
            candidates.filter(|&at| adr::id_matches(&self.adrs[at], id)).collect();
        self.choose(from, &matches)
    }

    fn choose(&self, from: &str, matches: &[usize]) -> Option<usize> {
        let near = matches.iter().copied().find(|&at| is_near(from, &self.adrs[at].path));
        let in_force = matches.iter().copied().find(|&at| !is_retired(at, self));
        near.or(in_force).or(matches.first().copied())
    }
}

fn looks_like_id(target: &str) -> bool {
    target.to_uppercase().starts_with("ADR")
}

/// Returns whether a record is near a document: in its folder, or in a folder of it.
pub fn is_near(from: &str, record: &str) -> bool {
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
    // A word in passing ties documents together in the graph and demands nothing.
    if reference.how == How::Word {
        return None;
    }
    let supersedes_it =
        matches!(reference.how, How::Field(LinkField::Supersedes | LinkField::SupersededBy));
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
        Found::Nothing if !known.is_broken(document, reference) => return None,
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

/// Returns whether a decision should not be built on any more: it says so itself, or another that
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
            by_exact_name: &|_, name| match name {
                "0042-graph" => ByName::Document("plans/0042-graph/plan.md".into()),
                _ => ByName::Nothing,
            },
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
    fn a_field_may_name_a_record_by_its_file() {
        assert_eq!(
            check("---\ndepends_on: [ADR-0001-x.md, ADR-0001-x, ADR-0003-x.md]\n---\n"),
            ["2: refers to ADR-0003-x.md, which is deprecated"]
        );
    }

    #[test]
    fn wiki_links_are_judged_and_words_are_not() {
        assert_eq!(
            check(
                "[[ADR-0001]] [[adr-0003-x|old]]\n[[0042-graph#Goals]] [[0042-graph-plan]]\n[[0043-gone]] [[ADR-0099]]\n[[a]] [[docs/a]] [[a.md]] [[Meeting notes]] [[diagram.png]]\n0042-graph, 0043-gone, `ADR-0003`, `ADR-0099`\n"
            ),
            [
                "1: refers to adr-0003-x, which is deprecated",
                "2: refers to 0042-graph, which is deprecated",
                "2: refers to 0042-graph-plan, which is deprecated",
                "3: refers to 0043-gone, which is not there",
                "3: refers to ADR-0099, which is not there",
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
