//! Architecture decision records as they are really written: front matter, a `Status` heading, a
//! status line, a table, an RFC-822 header; markdown or reStructuredText.
//!
//! The same reading finds *where* the status is written, so that superseding edits it there.

mod edit;
mod folder;
mod form;
mod links;
mod naming;
mod site;
mod text;

pub use edit::{mark_superseded, mark_supersedes, set_status};
pub use folder::{METADATA, add_metadata, folder_name, metadata_path};
pub use form::{Model, NewRecord, write};
pub use links::Target;
pub use naming::Naming;

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::scalar_text;
use crate::{Document, path};
use folder::CREATION_DATE;

/// The state of a decision.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Being written.
    Draft,
    /// Up for decision.
    Proposed,
    /// In force.
    Accepted,
    /// Decided against.
    Rejected,
    /// Taken back by its author.
    Withdrawn,
    /// No longer advised, with nothing in its place.
    Deprecated,
    /// Replaced by another.
    Superseded,
    /// It says something else, or nothing.
    Unknown,
}

impl Status {
    /// Every status that a person may set.
    pub const ALL: [Status; 7] = [
        Status::Draft,
        Status::Proposed,
        Status::Accepted,
        Status::Rejected,
        Status::Withdrawn,
        Status::Deprecated,
        Status::Superseded,
    ];

    /// Returns the word for it.
    pub fn word(self) -> &'static str {
        match self {
            Status::Draft => "draft",
            Status::Proposed => "proposed",
            Status::Accepted => "accepted",
            Status::Rejected => "rejected",
            Status::Withdrawn => "withdrawn",
            Status::Deprecated => "deprecated",
            Status::Superseded => "superseded",
            Status::Unknown => "unknown",
        }
    }

    /// Returns the states that may follow.
    pub fn next(self) -> &'static [Status] {
        match self {
            Status::Draft => {
                &[Status::Proposed, Status::Accepted, Status::Rejected, Status::Withdrawn]
            }
            Status::Proposed => {
                &[Status::Accepted, Status::Rejected, Status::Withdrawn, Status::Draft]
            }
            Status::Accepted => &[Status::Deprecated, Status::Superseded],
            Status::Deprecated => &[Status::Superseded],
            Status::Rejected | Status::Withdrawn => &[Status::Proposed],
            Status::Superseded => &[],
            Status::Unknown => &Status::ALL,
        }
    }

    /// Returns whether the decision was accepted at some time, so that what it says it replaces is
    /// really replaced; a proposal replaces nothing yet.
    pub fn took_effect(self) -> bool {
        matches!(self, Status::Accepted | Status::Superseded | Status::Deprecated)
    }

    /// Returns whether the decision may be in force. A status that cannot be understood may say so.
    pub fn may_hold(self) -> bool {
        matches!(self, Status::Accepted | Status::Unknown)
    }

    /// Returns whether nobody should build on such a decision any more.
    pub fn is_retired(self) -> bool {
        matches!(self, Status::Deprecated | Status::Superseded)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A longer line is a sentence and no status.
const MAX_PHRASE_BYTES: usize = 40;

/// A decision record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Adr {
    /// Its id: `ADR-0010`, `PEP-0649`, or the file's stem where it has no number.
    pub id: String,
    /// Its number, if it has one.
    pub number: Option<u32>,
    /// Its file.
    pub path: String,
    /// Its title without its number.
    pub title: String,
    /// Labels by which reStructuredText refers to it (`.. _Label:`).
    pub labels: Vec<String>,
    /// Its state.
    pub status: Status,
    /// What it says in the place of a status, where that is none that is known.
    pub unknown_status: Option<String>,
    /// The line on which the state is written.
    pub status_line: usize,
    /// Whether it says that only a part of it is superseded.
    pub is_partly_superseded: bool,
    /// What it says of its date, as written.
    pub date: Option<String>,
    /// What it says it replaces.
    pub supersedes: Vec<Target>,
    /// What it says replaces it.
    pub superseded_by: Vec<Target>,
}

/// Returns whether a file in a folder of records is one: not an index, a template or a glossary.
pub fn is_record(file_name: &str) -> bool {
    let lower = file_name.to_lowercase();
    let Some((stem, _)) =
        lower.rsplit_once('.').filter(|(_, ending)| matches!(*ending, "md" | "rst" | "markdown"))
    else {
        return false;
    };
    let index = matches!(
        stem,
        "readme"
            | "index"
            | "template"
            | "_template"
            | "process"
            | "contents"
            | "glossary"
            | "adr-template"
            | "_index"
            | "changelog"
    );
    let number = id_of(file_name).1;
    let named_template = stem.ends_with("-template") || stem.ends_with("_template");
    let template = stem.starts_with('.')
        || (named_template && number.is_none_or(|number| number == 0))
        || (number.is_none() && stem.contains("xxx"));
    !index && !template
}

/// Returns whether a file has the sections of a record: a status and what was decided, or the headings
/// of MADR. Many other documents have a status and a context.
pub fn has_sections(path: &str, text: &str) -> bool {
    let document = document_of(path, text);
    let headings: Vec<String> =
        document.headings.iter().map(|heading| text::bare(&heading.text)).collect();
    let has = |wanted: &str| headings.iter().any(|heading| heading == wanted);
    let madr = ["context and problem statement", "considered options", "decision outcome"];
    let states_status = site::find(&document, text, &text::shown(text)).is_some();
    let sections = ["context", "decision", "consequences"];
    let named = sections.iter().filter(|section| has(section)).count();
    madr.iter().filter(|heading| has(heading)).count() >= 2
        || named == sections.len()
        || states_status && (has("decision") || named >= 2)
}

/// Reads a record.
pub fn read(path: &str, text: &str) -> Adr {
    let document = document_of(path, text);
    read_document(&document, text)
}

/// Parses a record's text; reStructuredText has no front matter and no markdown.
fn document_of(path: &str, text: &str) -> Document {
    if path.ends_with(".rst") { Document::plain(path, text) } else { Document::parse(path, text) }
}

/// Reads a record whose document is already parsed from `text`.
pub fn read_document(document: &Document, text: &str) -> Adr {
    let path = document.path.as_str();
    let (id, number) = id_of(path);
    let shown = text::shown(text);
    let is_stated_beside = folder_name(path).is_some() && document.field("status").is_some();
    // A folder's text may speak of many another status.
    let site = site::find(document, text, &shown)
        .filter(|site| !is_stated_beside || site.style == site::Style::FrontMatter);
    let mut links = links::read(document, &shown, site.as_ref());
    // A link to another file with the same number leads to another record.
    let is_own_file = |href: &String| file_of(href) == file_of(&document.path);
    let leads_elsewhere = |target: &Target| {
        target.number.is_none()
            || target.number != number
            || target.href.as_ref().is_some_and(|href| !is_own_file(href))
    };
    links.supersedes.retain(leads_elsewhere);
    links.superseded_by.retain(leads_elsewhere);
    let stated = || document.field("status").map(str::to_owned);
    let written = site.as_ref().map(|site| site.value(&shown)).or_else(stated);
    let is_partly_superseded = written.as_deref().is_some_and(links::speaks_of_a_part);
    let status = match written.as_deref().map_or(Status::Unknown, links::status_of) {
        Status::Accepted | Status::Unknown if links.whole_file_superseded => Status::Superseded,
        status => status,
    };
    let unknown_status = written.filter(|_| status == Status::Unknown).as_deref().and_then(phrase);
    Adr {
        id,
        number,
        path: path.to_owned(),
        title: title(document, text, number),
        labels: text
            .lines()
            .filter_map(|line| line.strip_prefix(".. _")?.strip_suffix(':'))
            .map(str::to_owned)
            .collect(),
        status,
        unknown_status,
        status_line: site.map_or(1, |site| site.line),
        is_partly_superseded,
        date: ["date", "created", CREATION_DATE]
            .iter()
            .find_map(|key| document.fields.get(*key).and_then(scalar_text))
            .or_else(|| text::field(&shown, &["date", "created"])),
        supersedes: links.supersedes,
        superseded_by: links.superseded_by,
    }
}

/// Returns the first line of a text if it is a word or a few, as a status is.
fn phrase(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    (line.len() <= MAX_PHRASE_BYTES).then(|| line.to_owned())
}

/// Derives an id from a path: letters and up to five digits of the record's name, else all of it.
pub fn id_of(path: &str) -> (String, Option<u32>) {
    let name = name_of(path);
    let Some((letters, digits)) = number_in(name) else { return (name.to_owned(), None) };
    let prefix = match letters {
        "" if path.split('/').any(|part| part == "keps") => "KEP".to_owned(),
        "" => "ADR".to_owned(),
        letters => letters.to_uppercase(),
    };
    (format!("{prefix}-{digits}"), digits.parse().ok())
}

/// Returns the name of a record: that of its folder if it is one, else that of its file without its
/// ending.
pub fn name_of(path: &str) -> &str {
    let file = path::file_name(path);
    let stem = || file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    folder_name(path).unwrap_or_else(stem)
}

/// Returns the letters and the digits of the number that a name starts with.
fn number_in(name: &str) -> Option<(&str, &str)> {
    let letters = name.len() - name.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
    let rest = name[letters..].trim_start_matches(['-', '_', ' ']);
    let digits = &rest[..rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len()];
    let ends = !rest[digits.len()..].starts_with(|c: char| c.is_alphanumeric());
    let is_number = matches!(digits.len(), 1..=5) && ends && letters <= 4;
    is_number.then(|| (&name[..letters], digits))
}

/// Returns whether a target, as it is written in some record, means this one.
pub fn names(target: &Target, adr: &Adr) -> bool {
    let same = |text: &str| text.eq_ignore_ascii_case(&target.written);
    match &target.href {
        Some(href) if file_of(href) == file_of(&adr.path) => true,
        _ => {
            (target.number.is_some() && target.number == adr.number)
                || same(&adr.id)
                || adr.labels.iter().any(|label| same(label))
        }
    }
}

/// Returns what a target may call a record, in small letters: [`names`] holds for no record that has none
/// of these names and no number.
pub fn names_of_target(target: &Target) -> impl Iterator<Item = String> {
    let file = target.href.as_deref().map(file_of);
    file.into_iter().chain([target.written.as_str()]).map(str::to_lowercase)
}

/// Returns what a record may be called by a target, in small letters.
pub fn names_of_record(adr: &Adr) -> impl Iterator<Item = String> {
    let own = [file_of(&adr.path), adr.id.as_str()];
    own.into_iter().chain(adr.labels.iter().map(String::as_str)).map(str::to_lowercase)
}

/// Returns the name that a record's file is known by: that of its folder if it is one.
fn file_of(path: &str) -> &str {
    folder_name(path).unwrap_or(path::file_name(path))
}

/// Returns whether a written id means this record: the same id, or the same prefix and number.
pub fn id_matches(adr: &Adr, written: &str) -> bool {
    let written = written.trim();
    if adr.id.eq_ignore_ascii_case(written) {
        return true;
    }
    let (prefix, digits) = written
        .split_at(written.len() - written.trim_start_matches(|c: char| !c.is_ascii_digit()).len());
    let prefix = prefix.trim_end_matches(['-', '_', ' ', '#']);
    let same_prefix = prefix.is_empty()
        || adr.id.split('-').next().is_some_and(|own| own.eq_ignore_ascii_case(prefix));
    same_prefix && adr.number.is_some() && digits.parse().ok() == adr.number
}

/// Letters that stand before the number in a title.
const TITLE_PREFIXES: &[&str] = &["ADR", "KEP", "PEP", "OEP", "AD", "DR"];

fn title(document: &Document, text: &str, number: Option<u32>) -> String {
    let raw = match &document.title {
        Some(title) => title.trim().to_owned(),
        None => text::field(text, &["title"])
            .or_else(|| text::underlined_title(&document.prose))
            .unwrap_or_else(|| document.path.rsplit('/').next().unwrap_or_default().to_owned())
            .trim()
            .trim_matches(['*', '`', '_'])
            .trim()
            .to_owned(),
    };
    without_number(&raw, number).unwrap_or(&raw).to_owned()
}

/// Returns a title without the number of its record, if it starts with one.
fn without_number(title: &str, number: Option<u32>) -> Option<&str> {
    let labelled = title.trim_start_matches("[ADR]").trim_start();
    let after_prefix = TITLE_PREFIXES.iter().find_map(|prefix| {
        labelled
            .strip_prefix(prefix)
            .map(|rest| rest.trim_start_matches(['-', ' ', '_']))
            .filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    });
    let numbered = after_prefix.unwrap_or(labelled);
    let rest = numbered.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = &numbered[..numbered.len() - rest.len()];
    let written = digits.parse::<u32>().ok()?;
    // `2026 goals` and `3-tier architecture` are titles; `10. Goals`, and `10 Goals` in the record
    // with that number, are not.
    let is_own = number.is_none_or(|number| number == written) || after_prefix.is_some();
    let dash_joins_words = rest.starts_with(['-', '–', '—'])
        && !rest.chars().nth(1).is_some_and(char::is_whitespace)
        && digits.len() < 3;
    let ends_number = rest.starts_with(['.', ':', '-', '–', '—']) && !dash_joins_words
        || rest.starts_with(" -")
        || (rest.starts_with(' ') && number == Some(written));
    let bare = rest.trim_start_matches(['.', ':', ' ', '-', '–', '—']);
    (is_own && ends_number && !bare.is_empty()).then_some(bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_from_file_names() {
        let id = |path: &str| id_of(path).0;
        assert_eq!(id("x/ADR-0010-use-sqlite.md"), "ADR-0010");
        assert_eq!(id("0010-use-sqlite.md"), "ADR-0010");
        assert_eq!(id("ADR001_title.md"), "ADR-001");
        assert_eq!(id("pep-0123.rst"), "PEP-0123");
        assert_eq!(id("oep-0003-arch-x.rst"), "OEP-0003");
        assert_eq!(id("20201016-slug.md"), "20201016-slug");
        assert_eq!(id("template-engine.md"), "template-engine");
    }

    #[test]
    fn records_and_the_files_beside_them() {
        for record in
            ["0001-x.md", "adr-014-project-templates.md", "ADR000-record.md", "DR005-x.MD"]
        {
            assert!(is_record(record), "{record}");
        }
        for other in
            ["README.md", "template.md", "adr-000-template.md", "ADRXXX-a.md", "x.png", "index.md"]
        {
            assert!(!is_record(other), "{other}");
        }
    }

    #[test]
    fn titles_lose_their_number() {
        let title = |heading: &str| read("0010-x.md", &format!("# {heading}\n")).title;
        assert_eq!(title("10. Use SQLite"), "Use SQLite");
        assert_eq!(title("ADR-061: Liquid staking"), "Liquid staking");
        assert_eq!(title("ADR 002: T"), "T");
        assert_eq!(title("Record decisions"), "Record decisions");
        assert_eq!(title("2FA for all"), "2FA for all");
        assert_eq!(title("2026 goals"), "2026 goals");
        assert_eq!(title("10 Goals"), "Goals");
        assert_eq!(title("0010-goals"), "goals");
        for kept in ["3-tier architecture", "2026: a review", "RDP 3389: closed", "***", "A-1 x"] {
            let text = format!("---\ntitle: \"{kept}\"\n---\n");
            assert_eq!(read("0003-x.md", &text).title, kept);
        }
    }

    #[test]
    fn the_last_line_of_a_front_matter_is_no_title() {
        assert_eq!(
            read("0010-x.md", "---\nstatus: draft\n---\n").title,
            read("0010-x.md", "").title
        );
    }

    #[test]
    fn statuses_in_every_style() {
        let status = |text: &str| read("0010-x.md", text).status;
        assert_eq!(status("---\nstatus: \"Accepted\"\n---\n# T\n"), Status::Accepted);
        assert_eq!(status("---\nstatus: &s !!str Accepted\n---\n# T\n"), Status::Accepted);
        assert_eq!(status("# T\n\n## Status\n\nAccepted\n\n## Context\n"), Status::Accepted);
        assert_eq!(status("# T\n\n## Status:\n> ✅ Accepted (documenting)\n"), Status::Accepted);
        assert_eq!(
            status("# T\n\n* Status: superseded by [ADR-0012](0012-y.md)\n"),
            Status::Superseded
        );
        assert_eq!(
            status("# T\n\n**Status:** ~~Accepted~~ Superseded by ADR-53\n"),
            Status::Superseded
        );
        assert_eq!(
            status("# T\n\n| Status | Accepted ✅ <!-- Proposed OR Superseded --> |\n"),
            Status::Accepted
        );
        assert_eq!(status("# T\n\n## Status: ARCHIVED\n"), Status::Deprecated);
        assert_eq!(
            status("PEP: 1\nTitle: T\nStatus:         Superseded\n\nAbstract\n========\n"),
            Status::Superseded
        );
        assert_eq!(
            status("T\n###\n\n.. list-table::\n\n   * - Status\n     - Accepted\n"),
            Status::Accepted
        );
        assert_eq!(
            status("T\n===\n\nStatus\n------\n\n**Accepted** 2023-02-07\n"),
            Status::Accepted
        );
        assert_eq!(
            status("# T\n\n- [Status](#status)\n\n## Status\n\nRejected\n"),
            Status::Rejected
        );
        assert_eq!(status("# T\n\nnothing here\n\n```\nstatus: accepted\n```\n"), Status::Unknown);
        assert_eq!(
            status("# T\n\n## Status\n\nPartially superseded by [11](0011-x.md)\n"),
            Status::Accepted
        );
    }

    #[test]
    fn links_in_every_style() {
        let by = |text: &str| {
            read("0010-x.md", text).superseded_by.iter().map(|t| t.number).collect::<Vec<_>>()
        };
        let of = |text: &str| {
            read("0010-x.md", text).supersedes.iter().map(|t| t.number).collect::<Vec<_>>()
        };
        assert_eq!(by("---\nsuperseded_by: ADR-0157\n---\n"), [Some(157)]);
        assert_eq!(by("---\nsuperseded_by: 0011-y.md\n---\n"), [Some(11)]);
        assert_eq!(by("---\nsuperseded_by: 0010-y.md\n---\n"), [Some(10)]);
        assert_eq!(by("---\nsuperseded_by: [0010-x.md, ADR-0010]\n---\n"), []);
        assert_eq!(by("---\nsuperseded-by: [ADR-0170]\nsupersedes: null\n---\n"), [Some(170)]);
        assert_eq!(
            by("# T\n## Status\nSuperseded by [ADR031](ADR031-a.md) and [ADR034](ADR034-b.md)\n"),
            [Some(31), Some(34)]
        );
        assert_eq!(
            by("# T\n## Status\nSuperseded by [DNS Infrastructure](0015-dns.md)\n"),
            [Some(15)]
        );
        assert_eq!(by("# T\n## Status\n⌛️ Superseded [0019](0019-x.md)\n"), [Some(19)]);
        assert_eq!(
            by("PEP: 10\nStatus: Final\nSuperseded-By: 649, 749\n\nA\n"),
            [Some(649), Some(749)]
        );
        assert_eq!(of("PEP: 10\nStatus: Final\nReplaces: 245, 246\n\nA\n"), [Some(245), Some(246)]);
        assert_eq!(
            of("# T\n## Status\nAccepted\n\nSupercedes [2. Use JUnit](0002-x.md)\n"),
            [Some(2)]
        );
        assert_eq!(
            of("# T\n- Status: accepted\n\n## Links\n- Supersedes [0003](0003-superseded-x.md)\n"),
            [Some(3)]
        );
        assert_eq!(
            of("# T\n- Status: accepted\n\n## Links\n- Supersedes [0003](0003-y.md)\n"),
            [Some(3)]
        );
        assert_eq!(of("---\nstatus: \"accepted; supersedes ADR-0045\"\n---\n"), [Some(45)]);
        assert_eq!(
            by(
                "# T\n## Status\nApproved\n\n> This ADR is superceded by [`ADR 017`](./adr-017-x.md)\n"
            ),
            [Some(17)]
        );
        assert_eq!(
            by("# T\n## Status\nAccepted\n## Context\nlogging was superseded by log4j 2\n"),
            []
        );
    }
}
