//! Links between records, and the meaning of status words.

use serde::{Deserialize, Serialize};

use super::Status;
use super::site::{StatusSite, StatusStyle};
use super::text::{heading, key_value, lines, plain};
use crate::document::adr_id::MAX_NUMBER_DIGITS;
use crate::{Document, name};

/// A link's target: another record, as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LinkTarget {
    /// The name as written.
    pub written: String,
    /// The number in the name or in the linked file's name.
    pub number: Option<u32>,
    /// The path of the linked file, as written.
    pub href: Option<String>,
}

/// The links of one record.
#[derive(Debug, Default)]
pub(super) struct Links {
    pub(super) supersedes: Vec<LinkTarget>,
    pub(super) superseded_by: Vec<LinkTarget>,
    /// Whether a sentence says that the whole record is superseded.
    pub(super) is_wholly_superseded: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Supersedes,
    SupersededBy,
}

/// Verbs of supersession. Where two match at one place, the longer one wins. The misspelling with `c`
/// is about as common as the correct spelling.
const VERBS: &[(&str, Direction)] = &[
    ("superseded by", Direction::SupersededBy),
    ("superceded by", Direction::SupersededBy),
    ("superseded-by", Direction::SupersededBy),
    ("superseded_by", Direction::SupersededBy),
    ("replaced by", Direction::SupersededBy),
    ("replaced with", Direction::SupersededBy),
    ("obsoleted by", Direction::SupersededBy),
    ("supersedes", Direction::Supersedes),
    ("supercedes", Direction::Supersedes),
    ("obsoletes", Direction::Supersedes),
    ("replaces", Direction::Supersedes),
    ("superseded", Direction::SupersededBy),
    ("superceded", Direction::SupersededBy),
];

/// Subjects of sentences about the record itself.
const SUBJECTS: &[&str] = &[
    "this adr",
    "this decision",
    "this oep",
    "this pep",
    "this record",
    "this document",
    "this rfc",
    "this has been superseded",
    "this is superseded",
    "this supersedes",
];

/// Reads the links from the front matter, the status and the text. `visible` is the text as
/// [`super::text::visible`] returns it.
pub(super) fn read(document: &Document, visible: &str, site: Option<&StatusSite>) -> Links {
    let mut links = Links::default();
    for (keys, direction) in [
        (["supersedes", "replaces", "obsoletes"], Direction::Supersedes),
        (["superseded_by", "superseded-by", "replaced_by"], Direction::SupersededBy),
    ] {
        for value in keys.iter().flat_map(|key| document.field_list(key)) {
            links.add(direction, find_targets(&value, true));
        }
    }
    if let Some(site) = site {
        links.read_phrases(&visible[site.bytes.clone()]);
        if site.style != StatusStyle::FrontMatter {
            links.read_status_section(&visible[site.section.clone()]);
        }
    }
    if mentions_replacement(visible) {
        links.read_body(visible);
    }
    links
}

/// Returns whether a text contains the stem of a supersession verb. Most records do not, and
/// scanning their lines would take most of the time of reading them.
fn mentions_replacement(text: &str) -> bool {
    let stems: [&[u8]; 4] = [b"supersed", b"superced", b"replac", b"obsolet"];
    let starts_with_stem = |bytes: &[u8]| {
        stems
            .iter()
            .any(|stem| bytes.len() >= stem.len() && bytes[..stem.len()].eq_ignore_ascii_case(stem))
    };
    let bytes = text.as_bytes();
    (0..bytes.len())
        .any(|at| matches!(bytes[at] | 0x20, b's' | b'r' | b'o') && starts_with_stem(&bytes[at..]))
}

impl Links {
    fn add(&mut self, direction: Direction, targets: Vec<LinkTarget>) {
        let list = match direction {
            Direction::Supersedes => &mut self.supersedes,
            Direction::SupersededBy => &mut self.superseded_by,
        };
        for target in targets {
            let is_known = list.iter().any(|old| {
                (old.number.is_some() && old.number == target.number)
                    || old.written == target.written
            });
            if !is_known {
                list.push(target);
            }
        }
    }

    /// Reads every `verb target, target` in a text about the record itself.
    fn read_phrases(&mut self, text: &str) {
        let lower = text.to_ascii_lowercase();
        let mut verbs: Vec<(usize, usize, Direction)> = VERBS
            .iter()
            .flat_map(|(verb, direction)| {
                find_words(&lower, verb).map(|start| (start, start + verb.len(), *direction))
            })
            .collect();
        verbs.sort_by_key(|(start, end, _)| (*start, usize::MAX - end));
        let mut previous_end = 0;
        verbs.retain(|(start, end, _)| {
            *start >= previous_end && {
                previous_end = *end;
                true
            }
        });
        for (index, (_, end, direction)) in verbs.iter().enumerate() {
            let next_start = verbs.get(index + 1).map_or(text.len(), |(start, _, _)| *start);
            self.add(*direction, find_targets(&text[*end..next_start], false));
        }
    }

    /// Reads the lines after the status that start with a verb.
    fn read_status_section(&mut self, section: &str) {
        for (_, line) in lines(section).skip(1) {
            if starts_with_verb(line) {
                self.read_phrases(line);
            }
        }
    }

    /// Reads fields, the lines of a `Links` section and sentences about the record itself. What a
    /// changelog says was true at some time only.
    fn read_body(&mut self, visible: &str) {
        let lines: Vec<&str> = visible.lines().collect();
        let mut in_links = false;
        let mut in_history = false;
        for (index, line) in lines.iter().enumerate() {
            let next = lines.get(index + 1).copied();
            if let Some(heading) = heading(line, next) {
                let name = plain(heading);
                in_links = name == "links" || name == "related";
                in_history = matches!(name.as_str(), "changelog" | "change log" | "history");
                continue;
            }
            if in_history {
                continue;
            }
            if let Some((direction, value)) = link_field(line, next) {
                self.add(direction, find_targets(value, true));
                continue;
            }
            let lower = line.to_ascii_lowercase();
            if in_links && starts_with_verb(line) {
                self.read_phrases(line);
            } else if SUBJECTS.iter().any(|subject| lower.contains(subject)) {
                self.read_sentence(line, &lower);
            }
        }
    }

    /// Reads `this ADR is superseded by [x](y)`. A sentence without a target does not count.
    fn read_sentence(&mut self, line: &str, lower: &str) {
        let Some(subject) = SUBJECTS.iter().filter_map(|subject| lower.find(subject)).min() else {
            return;
        };
        let after = &line[subject..];
        let sentence = &after[..after.find(". ").unwrap_or(after.len())];
        let count_before = self.superseded_by.len();
        self.read_phrases(sentence);
        self.is_wholly_superseded |= self.superseded_by.len() > count_before
            && !lower.contains("part")
            && !lower.contains("aspect");
    }
}

/// Returns whether the first words of a line are a verb of supersession.
fn starts_with_verb(line: &str) -> bool {
    let start = plain(line.trim_start_matches(|c: char| !c.is_alphabetic()));
    VERBS.iter().any(|(verb, _)| start.starts_with(verb))
}

/// Returns the direction and the value of a field such as `Replaces: 245`, or of a list-table row,
/// whose value is on the next line.
fn link_field<'t>(line: &'t str, next: Option<&'t str>) -> Option<(Direction, &'t str)> {
    let (key, value) = match line.trim_start().strip_prefix("* - ") {
        Some(key) => (plain(key), next?.trim_start().trim_start_matches("- ")),
        None => key_value(line).map(|(key, value)| (key, &line[value]))?,
    };
    let (_, direction) = VERBS.iter().find(|(verb, _)| key == *verb)?;
    (!value.trim().is_empty()).then_some((*direction, value))
}

/// Returns the offsets of a word where it is part of neither a longer word nor a file name.
fn find_words<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '/');
    text.match_indices(word).map(|(at, _)| at).filter(move |at| {
        !text[..*at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part)
    })
}

/// Finds the records that a text names: links, `ADR-10`, `PEP 3107` and `:ref:` labels.
///
/// `is_field` is set for the value of a field that holds only records, where a bare number or path
/// counts too.
fn find_targets(text: &str, is_field: bool) -> Vec<LinkTarget> {
    let is_path = text.contains('/') || is_document(text);
    if is_field && is_path && !text.contains(['[', ' ']) {
        return link_target(crate::path::stem(text), text).into_iter().collect();
    }
    let mut found = Vec::new();
    let mut rest = String::with_capacity(text.len());
    let mut at = 0;
    // Searching outwards from `](` keeps the time linear for a text full of brackets.
    while let Some(middle) = text[at..].find("](").map(|offset| at + offset) {
        let Some(open) = text[at..middle].rfind('[').map(|offset| at + offset) else {
            rest.push_str(&text[at..middle + 2]);
            at = middle + 2;
            continue;
        };
        let Some(end) = text[middle..].find(')').map(|offset| middle + offset) else { break };
        rest.push_str(&text[at..open]);
        rest.push(',');
        found.extend(link_target(&text[open + 1..middle], &text[middle + 2..end]));
        at = end + 1;
    }
    rest.push_str(&text[at..]);
    for (at, mark) in rest.match_indices(":ref:`") {
        let label = rest[at + mark.len()..].split('`').next().unwrap_or_default();
        let label =
            label.split_once('<').map_or(label, |(_, label)| label.trim_end_matches('>')).trim();
        found.push(LinkTarget {
            written: label.to_owned(),
            number: label_number(label),
            href: None,
        });
    }
    if found.is_empty() {
        found = find_ids(&rest, is_field);
    } else {
        found.extend(find_ids(&strip_ref_roles(&rest), is_field));
    }
    found
}

/// Removes `:ref:` roles from a text, so that a number in a label is not read twice.
fn strip_ref_roles(text: &str) -> String {
    let mut parts = text.split(":ref:`");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(part.split_once('`').map_or("", |(_, after)| after));
    }
    out
}

fn is_document(file: &str) -> bool {
    let lower = file.to_lowercase();
    [".md", ".rst", ".markdown", ".html"].iter().any(|ending| lower.ends_with(ending))
}

/// Returns the target of a link, if it leads to a document or its label has a number.
fn link_target(label: &str, href: &str) -> Option<LinkTarget> {
    let file = href.split(['#', '?']).next().unwrap_or(href);
    let is_document = is_document(file);
    let number =
        if is_document { super::derive_id(file).1 } else { None }.or_else(|| label_number(label));
    (is_document || number.is_some()).then(|| LinkTarget {
        written: label.trim().trim_matches(['`', '*']).to_owned(),
        number,
        href: is_document.then(|| file.trim_start_matches("./").to_owned()),
    })
}

/// Returns the number of the record that a label names.
fn label_number(label: &str) -> Option<u32> {
    find_ids(label, false).into_iter().next().and_then(|target| target.number).or_else(|| {
        let label = plain(label);
        let (digits, _) = name::split_leading_digits(&label);
        digits.parse().ok().filter(|_| digits.len() <= MAX_NUMBER_DIGITS)
    })
}

/// Finds ids such as `ADR-10`; in a field that holds only records, also bare numbers and names of files.
fn find_ids(text: &str, is_field: bool) -> Vec<LinkTarget> {
    let mut found = Vec::new();
    let mut previous = "";
    let mut is_previous_id = false;
    for word in text.split(|c: char| {
        c.is_whitespace()
            || matches!(
                c,
                ',' | ';' | '(' | ')' | '[' | ']' | '`' | '*' | '|' | '<' | '>' | ':' | '+'
            )
    }) {
        // A part of a record does not stand for the record: `ADR-53 §7`.
        if is_previous_id && word.starts_with('§') {
            found.pop();
            is_previous_id = false;
            continue;
        }
        let word = word.trim_matches(['.', '"', '\'', '§']);
        let digits_at = word.len() - word.trim_start_matches(|c: char| !c.is_ascii_digit()).len();
        let (prefix, digits) = word.split_at(digits_at);
        // A field may have the name of a file without its ending: `ADR-0001-use-sqlite`.
        let digits = match digits.split_once('-') {
            Some((number, slug)) if is_field && slug.starts_with(char::is_alphabetic) => number,
            _ => digits,
        };
        let number = digits.parse::<u32>().ok().filter(|_| digits.len() <= MAX_NUMBER_DIGITS);
        let prefix = prefix.trim_end_matches(['-', '_', '#']);
        if let Some(number) = number {
            let has_prefix = is_id_prefix(prefix) || (prefix.is_empty() && is_id_prefix(previous));
            is_previous_id = has_prefix || (prefix.is_empty() && is_field);
            if is_previous_id {
                let written =
                    if prefix.is_empty() { digits.to_owned() } else { word.to_uppercase() };
                found.push(LinkTarget { written, number: Some(number), href: None });
            }
        }
        if !word.is_empty() {
            is_previous_id &= number.is_some();
            previous = word;
        }
    }
    found
}

fn is_id_prefix(word: &str) -> bool {
    matches!(
        word.to_uppercase().as_str(),
        "ADR" | "DR" | "AD" | "KEP" | "PEP" | "OEP" | "RFC" | "MADR" | "ADRS"
    )
}

/// Returns whether a status says that only a part of the record is superseded.
pub(super) fn is_partial_supersession(status: &str) -> bool {
    let word = status.trim_start_matches(|c: char| !c.is_alphabetic()).to_lowercase();
    word.starts_with("partially") || word.starts_with("partly")
}

/// Parses the words of a status line.
pub(super) fn parse_status(status: &str) -> Status {
    let letters_only: String = status
        .chars()
        .map(|c| if c.is_alphanumeric() || c.is_whitespace() || c == ',' { c } else { ' ' })
        .collect::<String>()
        .to_lowercase();
    let words: Vec<&str> =
        letters_only.split([' ', ',', '\n']).filter(|word| !word.is_empty()).collect();
    let Some(&first) = words.iter().find(|word| word.chars().any(char::is_alphabetic)) else {
        return Status::Unknown;
    };
    // `Proposed or Accepted` is the placeholder of a template.
    if words.get(1) == Some(&"or") {
        return Status::Unknown;
    }
    match first {
        "accept" | "accepted" | "approved" | "agreed" | "final" | "active" | "adopted"
        | "decided" | "implementable" | "implemented" | "implementing" | "resolved"
        | "partially" | "partly" => Status::Accepted,
        "proposal" | "proposed" | "pending" | "provisional" | "review" | "under" | "open"
        | "incomplete" => Status::Proposed,
        "draft" | "wip" => Status::Draft,
        "reject" | "rejected" | "declined" | "abandoned" => Status::Rejected,
        "withdrawn" => Status::Withdrawn,
        "deprecated" | "obsolete" | "archived" | "retired" => Status::Deprecated,
        "superseded" | "superceded" | "replaced" | "obsoleted" => Status::Superseded,
        _ => Status::Unknown,
    }
}
