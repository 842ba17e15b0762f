//! Architecture decision records, in markdown or reStructuredText, with their status in the front
//! matter, under a `Status` heading, on a status line, in a table or in an RFC 822 header.
//!
//! Reading also locates the status, so that an edit can rewrite it in place.

mod edit;
mod folder;
mod links;
mod naming;
mod new_adr;
mod site;
mod text;

pub use crate::document::adr_id::{adr_name, derive_id, folder_name};
pub use edit::{mark_superseded, mark_supersedes, set_status};
pub use folder::{METADATA_FILE_NAME, add_metadata, metadata_path};
pub use links::LinkTarget;
pub use naming::NamingScheme;
pub use new_adr::{AdrLayout, NewAdr, write_new_adr};

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::scalar_to_text;
use crate::{Document, name, path};
use folder::CREATION_DATE;
use site::StatusStyle;

/// The status of a decision.
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
    /// Withdrawn by its author.
    Withdrawn,
    /// No longer recommended, without a replacement.
    Deprecated,
    /// Replaced by another decision.
    Superseded,
    /// Not stated, or not one of the statuses above.
    Unknown,
}

impl Status {
    /// Every status that can be set.
    pub const ALL: [Status; 7] = [
        Status::Draft,
        Status::Proposed,
        Status::Accepted,
        Status::Rejected,
        Status::Withdrawn,
        Status::Deprecated,
        Status::Superseded,
    ];

    /// Returns the status in lower case.
    pub fn as_str(self) -> &'static str {
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

    /// Returns the statuses that may follow this one.
    pub fn allowed_next(self) -> &'static [Status] {
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

    /// Returns whether the decision was accepted at some time. Only then does it replace the decisions
    /// that it supersedes: a proposal does not yet.
    pub(crate) fn has_taken_effect(self) -> bool {
        matches!(self, Status::Accepted | Status::Superseded | Status::Deprecated)
    }

    /// Returns whether the decision may be in force; an unknown status may mean accepted.
    pub fn may_be_in_force(self) -> bool {
        matches!(self, Status::Accepted | Status::Unknown)
    }

    /// Returns whether new work should no longer rely on the decision.
    pub fn is_retired(self) -> bool {
        matches!(self, Status::Deprecated | Status::Superseded)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A longer line is a sentence and not a status.
const MAX_STATUS_PHRASE_BYTES: usize = 40;

/// A decision record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Adr {
    /// The id: `ADR-0010`, `PEP-0649`, or the file's stem if there is no number.
    pub id: String,
    /// The number, if the file name has one.
    pub number: Option<u32>,
    /// The path of the file.
    pub path: String,
    /// The title without the number.
    pub title: String,
    /// The reStructuredText labels (`.. _Label:`) that links may use.
    pub labels: Vec<String>,
    /// The status.
    pub status: Status,
    /// The status as written, if it is not a known one.
    pub unknown_status: Option<String>,
    /// The line of the status; 1 if none is stated.
    pub status_line: usize,
    /// Whether the status says that only a part of the record is superseded.
    pub is_partly_superseded: bool,
    /// The date as written.
    pub date: Option<String>,
    /// The records that this one says it replaces.
    pub supersedes: Vec<LinkTarget>,
    /// The records that this one says replaced it.
    pub superseded_by: Vec<LinkTarget>,
}

/// Returns whether a file in a folder of records is a record, by its name: an index, a template or a
/// glossary is not.
pub fn is_adr_file_name(file_name: &str) -> bool {
    let lower = file_name.to_lowercase();
    let Some((stem, _)) =
        lower.rsplit_once('.').filter(|(_, ending)| matches!(*ending, "md" | "rst" | "markdown"))
    else {
        return false;
    };
    let is_index = matches!(
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
    let number = derive_id(file_name).1;
    let has_template_name = stem.ends_with("-template") || stem.ends_with("_template");
    let is_template = stem.starts_with('.')
        || (has_template_name && number.is_none_or(|number| number == 0))
        || (number.is_none() && stem.contains("xxx"));
    !is_index && !is_template
}

/// Returns whether a text has the sections of a record: a status with a decision, context, decision
/// and consequences, or the headings of MADR. A status and a context alone do not suffice, since many
/// other documents have both.
pub fn has_adr_sections(path: &str, text: &str) -> bool {
    let document = parse_document(path, text);
    let headings: Vec<String> =
        document.headings.iter().map(|heading| text::plain(&heading.text)).collect();
    let has = |name: &str| headings.iter().any(|heading| heading == name);
    let madr = ["context and problem statement", "considered options", "decision outcome"];
    let has_status = site::find(&document, text, &text::visible(text)).is_some();
    let sections = ["context", "decision", "consequences"];
    let section_count = sections.iter().filter(|section| has(section)).count();
    madr.iter().filter(|heading| has(heading)).count() >= 2
        || section_count == sections.len()
        || has_status && (has("decision") || section_count >= 2)
}

/// Reads a record.
pub fn read(path: &str, text: &str) -> Adr {
    let document = parse_document(path, text);
    read_document(&document, text)
}

/// Parses the text of a record; reStructuredText has neither front matter nor markdown.
fn parse_document(path: &str, text: &str) -> Document {
    if path::is_restructured_text(path) {
        Document::from_plain_text(path, text)
    } else {
        Document::parse(path, text)
    }
}

/// Reads a record from `text` and the document that was parsed from it.
pub fn read_document(document: &Document, text: &str) -> Adr {
    let path = document.path.as_str();
    let (id, number) = derive_id(path);
    let visible = text::visible(text);
    let has_metadata_status = folder_name(path).is_some() && document.field("status").is_some();
    // The text of a folder's README may mention statuses of other things.
    let site = site::find(document, text, &visible)
        .filter(|site| !has_metadata_status || site.style == StatusStyle::FrontMatter);
    let mut links = links::read(document, &visible, site.as_ref());
    // A link to another file with the same number leads to another record.
    let is_own_file = |href: &String| link_name(href) == link_name(&document.path);
    let leads_elsewhere = |target: &LinkTarget| {
        target.number.is_none()
            || target.number != number
            || target.href.as_ref().is_some_and(|href| !is_own_file(href))
    };
    links.supersedes.retain(leads_elsewhere);
    links.superseded_by.retain(leads_elsewhere);
    let status_field = || document.field("status").map(str::to_owned);
    let status_text = site.as_ref().map(|site| site.value(&visible)).or_else(status_field);
    let is_partly_superseded = status_text.as_deref().is_some_and(links::is_partial_supersession);
    let status = match status_text.as_deref().map_or(Status::Unknown, links::parse_status) {
        Status::Accepted | Status::Unknown if links.is_wholly_superseded => Status::Superseded,
        status => status,
    };
    let unknown_status =
        status_text.filter(|_| status == Status::Unknown).as_deref().and_then(short_first_line);
    Adr {
        id,
        number,
        path: path.to_owned(),
        title: read_title(document, text, number),
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
            .find_map(|key| document.fields.get(*key).and_then(scalar_to_text))
            .or_else(|| text::field(&visible, &["date", "created"])),
        supersedes: links.supersedes,
        superseded_by: links.superseded_by,
    }
}

/// Returns the first line of a text if it is short enough for a status.
fn short_first_line(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    (line.len() <= MAX_STATUS_PHRASE_BYTES).then(|| line.to_owned())
}

/// Returns whether a link's target means this record.
pub fn target_matches(target: &LinkTarget, adr: &Adr) -> bool {
    let is_written = |text: &str| text.eq_ignore_ascii_case(&target.written);
    match &target.href {
        Some(href) if link_name(href) == link_name(&adr.path) => true,
        _ => {
            (target.number.is_some() && target.number == adr.number)
                || is_written(&adr.id)
                || adr.labels.iter().any(|label| is_written(label))
        }
    }
}

/// Returns the names that a target may use for a record, in lower case. A target without a number
/// matches ([`target_matches`]) only records that have one of them among their [`record_aliases`].
pub(crate) fn target_aliases(target: &LinkTarget) -> impl Iterator<Item = String> {
    let file = target.href.as_deref().map(link_name);
    file.into_iter().chain([target.written.as_str()]).map(str::to_lowercase)
}

/// Returns the names by which a target may refer to a record, in lower case.
pub(crate) fn record_aliases(adr: &Adr) -> impl Iterator<Item = String> {
    let names = [link_name(&adr.path), adr.id.as_str()];
    names.into_iter().chain(adr.labels.iter().map(String::as_str)).map(str::to_lowercase)
}

/// Returns the name by which links identify a record: its folder's if it is a folder, otherwise its
/// file's.
fn link_name(path: &str) -> &str {
    folder_name(path).unwrap_or(path::file_name(path))
}

/// Returns whether an id that was typed or written means this record: the same id, or the same number
/// with the same prefix or none.
pub fn has_id(adr: &Adr, written: &str) -> bool {
    let written = written.trim();
    if adr.id.eq_ignore_ascii_case(written) {
        return true;
    }
    let (prefix, digits) = written
        .split_at(written.len() - written.trim_start_matches(|c: char| !c.is_ascii_digit()).len());
    let prefix = prefix.trim_end_matches(['-', '_', ' ', '#']);
    let same_prefix = prefix.is_empty()
        || adr.id.split('-').next().is_some_and(|id_prefix| id_prefix.eq_ignore_ascii_case(prefix));
    same_prefix && adr.number.is_some() && digits.parse().ok() == adr.number
}

/// Prefixes of the number in a title.
const TITLE_PREFIXES: &[&str] = &["ADR", "KEP", "PEP", "OEP", "AD", "DR"];

/// Returns a record's title without its number, falling back to the file name.
fn read_title(document: &Document, text: &str, number: Option<u32>) -> String {
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
    let title = strip_number(&raw, number).unwrap_or(&raw);
    let name = path::name_in_words(&document.path);
    if name.is_empty() || !is_template_title(title) {
        return title.to_owned();
    }
    let (first, rest) = name.split_at(name.chars().next().map_or(0, char::len_utf8));
    format!("{}{rest}", first.to_uppercase())
}

/// Phrases of titles that a template has before its author fills it in.
const TEMPLATE_TITLES: &[&str] = &[
    "decision record title",
    "short title of",
    "title here",
    "title of the decision",
    "your title",
];

/// Returns whether a title is still that of the template.
fn is_template_title(title: &str) -> bool {
    let lower = title.trim().to_lowercase();
    let is_enclosed = [('{', '}'), ('[', ']'), ('<', '>')]
        .iter()
        .any(|(open, close)| lower.strip_prefix(*open).is_some_and(|rest| rest.ends_with(*close)));
    is_enclosed || lower == "title" || TEMPLATE_TITLES.iter().any(|phrase| lower.contains(phrase))
}

/// Returns a title without the number of its record, or `None` if it does not start with it.
fn strip_number(title: &str, number: Option<u32>) -> Option<&str> {
    let labelled = title.trim_start_matches("[ADR]").trim_start();
    let after_prefix = TITLE_PREFIXES.iter().find_map(|prefix| {
        labelled
            .strip_prefix(prefix)
            .map(|rest| rest.trim_start_matches(['-', ' ', '_']))
            .filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    });
    let numbered = after_prefix.unwrap_or(labelled);
    let (digits, rest) = name::split_leading_digits(numbered);
    let written = digits.parse::<u32>().ok()?;
    // `2026 goals` and `3-tier architecture` are titles; `10. Goals`, and `10 Goals` in the record
    // with that number, are not.
    let is_record_number = number.is_none_or(|number| number == written) || after_prefix.is_some();
    let dash_joins_words = rest.starts_with(['-', '–', '—'])
        && !rest.chars().nth(1).is_some_and(char::is_whitespace)
        && digits.len() < 3;
    let ends_number = rest.starts_with(['.', ':', '-', '–', '—']) && !dash_joins_words
        || rest.starts_with(" -")
        || (rest.starts_with(' ') && number == Some(written));
    let stripped = rest.trim_start_matches(['.', ':', ' ', '-', '–', '—']);
    (is_record_number && ends_number && !stripped.is_empty()).then_some(stripped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indexes_and_templates_are_not_records() {
        for record in
            ["0001-x.md", "adr-014-project-templates.md", "ADR000-record.md", "DR005-x.MD"]
        {
            assert!(is_adr_file_name(record), "{record}");
        }
        for other in
            ["README.md", "template.md", "adr-000-template.md", "ADRXXX-a.md", "x.png", "index.md"]
        {
            assert!(!is_adr_file_name(other), "{other}");
        }
    }

    #[test]
    fn titles_are_read_without_their_number() {
        let title = |heading: &str| read("0010-x.md", &format!("# {heading}\n")).title;
        assert_eq!(title("10. Use SQLite"), "Use SQLite");
        let unnamed = "# ADR025: Decision Record Title (a description of the decision)\n";
        assert_eq!(read("ADR/ADR025-remove-papertrail.md", unnamed).title, "Remove papertrail");
        assert_eq!(read("0003-use-a-queue.md", "# {short title}\n").title, "Use a queue");
        assert_eq!(title("ADR-061: Liquid staking"), "Liquid staking");
        assert_eq!(title("ADR 002: T"), "T");
        assert_eq!(title("Record decisions"), "Record decisions");
        assert_eq!(title("2FA for all"), "2FA for all");
        assert_eq!(title("2026 goals"), "2026 goals");
        assert_eq!(title("10 Goals"), "Goals");
        assert_eq!(title("0010-goals"), "goals");
        for unchanged in
            ["3-tier architecture", "2026: a review", "RDP 3389: closed", "***", "A-1 x"]
        {
            let text = format!("---\ntitle: \"{unchanged}\"\n---\n");
            assert_eq!(read("0003-x.md", &text).title, unchanged);
        }
    }

    #[test]
    fn a_closing_fence_does_not_underline_a_title() {
        assert_eq!(
            read("0010-x.md", "---\nstatus: draft\n---\n").title,
            read("0010-x.md", "").title
        );
    }

    #[test]
    fn statuses_are_read_in_every_style() {
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
        assert_eq!(status("# T\n\n## Status\n\nAccept\n"), Status::Accepted);
        assert_eq!(status("# T\n\n## Status\n\n**Proposal**\n"), Status::Proposed);
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

    fn superseded_by(text: &str) -> Vec<Option<u32>> {
        read("0010-x.md", text).superseded_by.iter().map(|target| target.number).collect()
    }

    fn supersedes(text: &str) -> Vec<Option<u32>> {
        read("0010-x.md", text).supersedes.iter().map(|target| target.number).collect()
    }

    #[test]
    fn replacements_are_read_in_every_style() {
        for (text, expected) in [
            ("---\nsuperseded_by: ADR-0157\n---\n", vec![157]),
            ("---\nsuperseded_by: ADR-0157-use-sqlite\n---\n", vec![157]),
            ("---\nsuperseded_by: 2024-05-01\n---\n", vec![]),
            ("---\nsuperseded_by: 0011-y.md\n---\n", vec![11]),
            ("---\nsuperseded_by: 0010-y.md\n---\n", vec![10]),
            ("---\nsuperseded_by: [0010-x.md, ADR-0010]\n---\n", vec![]),
            ("---\nsuperseded-by: [ADR-0170]\nsupersedes: null\n---\n", vec![170]),
            (
                "# T\n## Status\nSuperseded by [ADR031](ADR031-a.md) and [ADR034](ADR034-b.md)\n",
                vec![31, 34],
            ),
            ("# T\n## Status\nSuperseded by [DNS Infrastructure](0015-dns.md)\n", vec![15]),
            ("# T\n## Status\n⌛️ Superseded [0019](0019-x.md)\n", vec![19]),
            ("PEP: 10\nStatus: Final\nSuperseded-By: 649, 749\n\nA\n", vec![649, 749]),
            (
                "# T\n## Status\nApproved\n\n> This ADR is superceded by [`ADR 017`](./adr-017-x.md)\n",
                vec![17],
            ),
            (
                "# T\n## Context\n**Note: This has been superseded by [ADR-13](adr-13-y.md).**\n",
                vec![13],
            ),
            ("# T\n## Status\nAccepted\n## Context\nlogging was superseded by log4j 2\n", vec![]),
        ] {
            let expected: Vec<Option<u32>> = expected.into_iter().map(Some).collect();
            assert_eq!(superseded_by(text), expected, "{text}");
        }
    }

    #[test]
    fn replaced_records_are_read_in_every_style() {
        for (text, expected) in [
            ("PEP: 10\nStatus: Final\nReplaces: 245, 246\n\nA\n", vec![245, 246]),
            ("# T\n## Status\nAccepted\n\nSupercedes [2. Use JUnit](0002-x.md)\n", vec![2]),
            (
                "# T\n- Status: accepted\n\n## Links\n- Supersedes [0003](0003-superseded-x.md)\n",
                vec![3],
            ),
            ("# T\n- Status: accepted\n\n## Links\n- Supersedes [0003](0003-y.md)\n", vec![3]),
            ("---\nstatus: \"accepted; supersedes ADR-0045\"\n---\n", vec![45]),
            ("# T\n## Context\nThis supersedes [ADR-001][].\n", vec![1]),
            (
                "# T\n**Status**: Accepted\n\n**Supersedes**: ADR 0053 §7 \"Detection\", ADR 9\n",
                vec![9],
            ),
        ] {
            let expected: Vec<Option<u32>> = expected.into_iter().map(Some).collect();
            assert_eq!(supersedes(text), expected, "{text}");
        }
    }
}
