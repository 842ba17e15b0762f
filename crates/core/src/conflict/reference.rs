//! References to documents that are gone or retired, and circles of supersession.

use super::{Conflict, Kind, Severity};
use crate::adr::{self, Adr};
use crate::document::{How, Reference};
use crate::name::{self, Match};
use crate::supersession::Supersession;
use crate::Document;

/// What a document may refer to.
pub struct Known<'a> {
    /// Every decision record.
    pub adrs: &'a [Adr],
    /// How they replaced each other.
    pub supersession: &'a Supersession<'a>,
    /// Names that `depends_on` may hold besides ids and paths: plans, and agents of the same plan.
    pub names: &'a [String],
    /// Says whether a file is there, by its path relative to the root.
    pub exists: &'a dyn Fn(&str) -> bool,
    /// Says why a document that is there should not be built on any more.
    pub retired: &'a dyn Fn(&str) -> Option<&'static str>,
}

/// Returns the references of a document that lead to nothing, or to something retired.
pub fn references(document: &Document, known: &Known<'_>) -> Vec<Conflict> {
    let own = known.adrs.iter().position(|adr| adr.path == document.path);
    if own.is_some_and(|at| known.adrs[at].status.is_retired()) {
        return vec![];
    }
    document.references.iter().filter_map(|reference| judge(document, own, reference, known)).collect()
}

fn judge(document: &Document, own: Option<usize>, reference: &Reference, known: &Known<'_>) -> Option<Conflict> {
    let supersedes_it = matches!(reference.how, How::Field("supersedes" | "superseded_by"));
    let reason = match target(document, reference, known) {
        Found::Adr(at) if supersedes_it || own.is_some_and(|own| own == at || known.supersession.descends(own, at)) => return None,
        Found::Adr(at) => adr_reason(at, known)?,
        Found::File(path) if supersedes_it => return (!(known.exists)(&path)).then(|| conflict(document, reference, "is not there")),
        Found::File(path) => (known.retired)(&path)?.to_owned(),
        Found::Other => return None,
        Found::Nothing => "is not there".to_owned(),
    };
    Some(conflict(document, reference, &reason))
}

enum Found {
    Adr(usize),
    File(String),
    Other,
    Nothing,
}

fn target(document: &Document, reference: &Reference, known: &Known<'_>) -> Found {
    if reference.how == How::Link {
        let Some(path) = joined(&document.path, &reference.target) else { return Found::Other };
        return match known.adrs.iter().position(|adr| adr.path == path) {
            Some(at) => Found::Adr(at),
            None if (known.exists)(&path) => Found::File(path),
            None => Found::Nothing,
        };
    }
    let folder = |path: &str| path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    let home = folder(&document.path);
    let matches: Vec<usize> = (0..known.adrs.len()).filter(|&at| adr::id_matches(&known.adrs[at], &reference.target)).collect();
    let looks_like_id = reference.how == How::Mention || reference.target.to_uppercase().starts_with("ADR");
    if looks_like_id || matches!(reference.how, How::Field("supersedes" | "superseded_by")) {
        let near = matches.iter().copied().find(|&at| folder(&known.adrs[at].path) == home);
        let in_force = matches.iter().copied().find(|&at| !known.adrs[at].status.is_retired());
        if let Some(at) = near.or(in_force).or(matches.first().copied()) {
            return Found::Adr(at);
        }
        if looks_like_id {
            return Found::Nothing;
        }
    }
    if reference.target.contains('/') {
        return match joined(&document.path, &reference.target).filter(|path| (known.exists)(path)).or_else(|| Some(reference.target.clone()).filter(|path| (known.exists)(path))) {
            Some(path) => Found::File(path),
            None => Found::Nothing,
        };
    }
    let typed = name::leading_number(&reference.target).unwrap_or(&reference.target);
    match name::find(typed, known.names.iter().map(String::as_str)) {
        Match::Unknown(_) => Found::Nothing,
        _ => Found::Other,
    }
}

fn adr_reason(at: usize, known: &Known<'_>) -> Option<String> {
    let adr = &known.adrs[at];
    let successors: Vec<&str> = known.supersession.successors(at).map(|new| known.adrs[new].id.as_str()).collect();
    match adr.status {
        adr::Status::Deprecated => Some("is deprecated".into()),
        adr::Status::Superseded if successors.is_empty() => Some("is superseded".into()),
        adr::Status::Superseded => Some(format!("is superseded by {}", successors.join(" and "))),
        _ => None,
    }
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
            let ids: Vec<&str> = cycle.iter().chain(cycle.first()).map(|&at| adrs[at].id.as_str()).collect();
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

/// Joins a relative link to the folder of a document; `None` when it leads out of the root.
pub fn joined(from: &str, link: &str) -> Option<String> {
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Vec<String> {
        let adrs: Vec<Adr> = [("0001", "status: accepted"), ("0002", "status: superseded\nsuperseded_by: ADR-0001"), ("0003", "status: deprecated")]
            .iter()
            .map(|(number, front)| adr::read(&format!("adrs/ADR-{number}-x.md"), &format!("---\n{front}\n---\n")))
            .collect();
        let supersession = Supersession::new(&adrs);
        let names = ["0042-graph".to_owned()];
        let known = Known { adrs: &adrs, supersession: &supersession, names: &names, exists: &|path| path == "docs/a.md" || path == "adrs/ADR-0002-x.md", retired: &|_| None };
        references(&Document::parse("docs/x.md", text), &known).into_iter().map(|conflict| format!("{}: {}", conflict.line, conflict.message)).collect()
    }

    #[test]
    fn retired_and_missing_targets_are_orphans() {
        assert_eq!(
            check("ADR-0001, ADR-1\nADR-0002\nADR-0003\nADR-0009\n[a](a.md) [b](b.md)\n[c](../adrs/ADR-0002-x.md)\n"),
            [
                "2: refers to ADR-0002, which is superseded by ADR-0001",
                "3: refers to ADR-0003, which is deprecated",
                "4: refers to ADR-0009, which is not there",
                "5: refers to b.md, which is not there",
                "6: refers to ../adrs/ADR-0002-x.md, which is superseded by ADR-0001",
            ]
        );
    }

    #[test]
    fn depends_on_finds_plans_by_number() {
        assert_eq!(check("---\ndepends_on: [\"0042-Knowledge Graph Foundation\", 0043-gone]\n---\n"), ["2: refers to 0043-gone, which is not there"]);
    }

    #[test]
    fn links_are_joined_within_the_root() {
        assert_eq!(joined("a/b/c.md", "../d.md").as_deref(), Some("a/d.md"));
        assert_eq!(joined("a.md", "../d.md"), None);
    }
}
