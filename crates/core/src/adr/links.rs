//! What a record says of other records, and what its status words mean.

use serde::{Deserialize, Serialize};

use super::Status;
use super::site::Site;
use super::text::{bare, heading, key_value, lines};
use crate::Document;

/// Another record, as far as it is named.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Target {
    /// The name as it is written.
    pub written: String,
    /// The number in it.
    pub number: Option<u32>,
    /// The file that a link leads to.
    pub href: Option<String>,
}

#[derive(Debug, Default)]
pub(super) struct Links {
    pub(super) supersedes: Vec<Target>,
    pub(super) superseded_by: Vec<Target>,
    /// Whether the text says of the whole record that it is superseded.
    pub(super) whole_file_superseded: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Supersedes,
    SupersededBy,
}

/// Verbs, longest first, so that `superseded by` is not read as `supersede`. The misspelling with
/// `c` is about as common as the word.
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

/// Words with which a sentence speaks of the record itself.
const SUBJECTS: &[&str] = &[
    "this adr",
    "this decision",
    "this oep",
    "this pep",
    "this record",
    "this document",
    "this rfc",
];

pub(super) fn read(document: &Document, shown: &str, site: Option<&Site>) -> Links {
    let mut links = Links::default();
    for (keys, direction) in [
        (["supersedes", "replaces", "obsoletes"], Direction::Supersedes),
        (["superseded_by", "superseded-by", "replaced_by"], Direction::SupersededBy),
    ] {
        for value in keys.iter().flat_map(|key| document.field_list(key)) {
            links.add(direction, targets(&value, true));
        }
    }
    if let Some(site) = site {
        links.read_span(&shown[site.bytes.clone()]);
        if site.style != super::site::Style::FrontMatter {
            links.read_status_section(&shown[site.section.clone()]);
        }
    }
    if speaks_of_replacing(shown) {
        links.read_fields_and_sections(shown);
    }
    links
}

/// Most records never do, and looking at each of their lines would cost more than all else.
fn speaks_of_replacing(text: &str) -> bool {
    let stems: [&[u8]; 4] = [b"supersed", b"superced", b"replac", b"obsolet"];
    let starts = |window: &[u8]| {
        stems.iter().any(|stem| {
            window.len() >= stem.len() && window[..stem.len()].eq_ignore_ascii_case(stem)
        })
    };
    let bytes = text.as_bytes();
    (0..bytes.len())
        .any(|at| matches!(bytes[at] | 0x20, b's' | b'r' | b'o') && starts(&bytes[at..]))
}

impl Links {
    fn add(&mut self, direction: Direction, targets: Vec<Target>) {
        let list = match direction {
            Direction::Supersedes => &mut self.supersedes,
            Direction::SupersededBy => &mut self.superseded_by,
        };
        for target in targets {
            let known = list.iter().any(|old| {
                (old.number.is_some() && old.number == target.number)
                    || old.written == target.written
            });
            if !known {
                list.push(target);
            }
        }
    }

    /// Reads every `verb target, target` in a span that speaks of the record itself.
    fn read_span(&mut self, span: &str) {
        let lower = span.to_ascii_lowercase();
        let mut verbs: Vec<(usize, usize, Direction)> = VERBS
            .iter()
            .flat_map(|(verb, direction)| {
                words(&lower, verb).map(|at| (at, at + verb.len(), *direction))
            })
            .collect();
        verbs.sort_by_key(|(at, end, _)| (*at, usize::MAX - end));
        let mut read_to = 0;
        verbs.retain(|(at, end, _)| {
            *at >= read_to && {
                read_to = *end;
                true
            }
        });
        for (index, (_, end, direction)) in verbs.iter().enumerate() {
            let next = verbs.get(index + 1).map_or(span.len(), |(next, _, _)| *next);
            self.add(*direction, targets(&span[*end..next], false));
        }
    }

    fn read_status_section(&mut self, section: &str) {
        for (_, line) in lines(section).skip(1) {
            let start = bare(line.trim_start_matches(|c: char| !c.is_alphabetic()));
            if VERBS.iter().any(|(verb, _)| start.starts_with(verb)) {
                self.read_span(line);
            }
        }
    }

    fn read_fields_and_sections(&mut self, shown: &str) {
        let all: Vec<&str> = shown.lines().collect();
        let mut in_links = false;
        let mut in_history = false;
        for (at, line) in all.iter().enumerate() {
            if let Some(heading) = heading(line, all.get(at + 1).copied()) {
                let name = bare(heading);
                in_links = name == "links" || name == "related";
                in_history = matches!(name.as_str(), "changelog" | "change log" | "history");
                continue;
            }
            if in_history {
                continue;
            }
            let list_row = line.trim_start().strip_prefix("* - ").map(bare);
            let field = match &list_row {
                Some(key) => all
                    .get(at + 1)
                    .map(|next| (key.clone(), next.trim_start().trim_start_matches("- "))),
                None => key_value(line).map(|(key, value)| (key, &line[value])),
            };
            if let Some((key, value)) = field {
                let direction =
                    VERBS.iter().find(|(verb, _)| key == *verb).map(|(_, direction)| *direction);
                if let Some(direction) = direction.filter(|_| !value.trim().is_empty()) {
                    self.add(direction, targets(value, true));
                    continue;
                }
            }
            let lower = line.to_ascii_lowercase();
            let starts_with_verb = VERBS.iter().any(|(verb, _)| {
                bare(lower.trim_start_matches(|c: char| !c.is_alphabetic())).starts_with(verb)
            });
            if in_links && starts_with_verb {
                self.read_span(line);
            } else if SUBJECTS.iter().any(|subject| lower.contains(subject)) {
                self.read_sentence(line, &lower);
            }
        }
    }

    /// Reads `this ADR is superseded by [x](y)`; a sentence without a target says nothing.
    fn read_sentence(&mut self, line: &str, lower: &str) {
        let Some(subject) = SUBJECTS.iter().filter_map(|subject| lower.find(subject)).min() else {
            return;
        };
        let after = &line[subject..];
        let sentence = &after[..after.find(". ").unwrap_or(after.len())];
        let before = self.superseded_by.len();
        self.read_span(sentence);
        self.whole_file_superseded |= self.superseded_by.len() > before
            && !lower.contains("part")
            && !lower.contains("aspect");
    }
}

/// Finds a word wherever it is not a part of a longer one, nor of a file's name.
fn words<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '/');
    text.match_indices(word).map(|(at, _)| at).filter(move |at| {
        !text[..*at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part)
    })
}

/// Finds the records that a text names: links, `ADR-10`, `PEP 3107`, `:ref:` labels; bare numbers
/// only where nothing but records can stand.
fn targets(text: &str, bare_numbers: bool) -> Vec<Target> {
    let is_path = text.contains('/') || is_document(text);
    if bare_numbers && is_path && !text.contains(['[', ' ']) {
        return link_target(crate::path::stem(text), text).into_iter().collect();
    }
    let mut found = Vec::new();
    let mut rest = String::with_capacity(text.len());
    let mut at = 0;
    // From the middle of a link outwards, so that a text full of brackets is read once.
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
        found.push(Target { written: label.to_owned(), number: label_number(label), href: None });
    }
    if found.is_empty() {
        found = ids(&rest, bare_numbers);
    } else {
        found.extend(ids(&without_roles(&rest), bare_numbers));
    }
    found
}

/// Takes `:ref:` roles out of a text, so that a number in a label is not read twice.
fn without_roles(text: &str) -> String {
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

fn link_target(label: &str, href: &str) -> Option<Target> {
    let file = href.split(['#', '?']).next().unwrap_or(href);
    let is_document = is_document(file);
    let number =
        if is_document { super::id_of(file).1 } else { None }.or_else(|| label_number(label));
    (is_document || number.is_some()).then(|| Target {
        written: label.trim().trim_matches(['`', '*']).to_owned(),
        number,
        href: is_document.then(|| file.trim_start_matches("./").to_owned()),
    })
}

fn label_number(label: &str) -> Option<u32> {
    ids(label, false).into_iter().next().and_then(|target| target.number).or_else(|| {
        let bare = bare(label);
        let digits =
            &bare[..bare.len() - bare.trim_start_matches(|c: char| c.is_ascii_digit()).len()];
        digits.parse().ok().filter(|_| digits.len() <= 5)
    })
}

/// Finds `LETTERS-digits` ids, and bare numbers if they may stand alone.
fn ids(text: &str, bare_numbers: bool) -> Vec<Target> {
    let mut found = Vec::new();
    let mut previous = "";
    for word in text.split(|c: char| {
        c.is_whitespace()
            || matches!(c, ',' | ';' | '(' | ')' | '`' | '*' | '|' | '<' | '>' | ':' | '+')
    }) {
        let word = word.trim_matches(|c: char| matches!(c, '.' | '"' | '\'' | '[' | ']' | '§'));
        let digits_at = word.len() - word.trim_start_matches(|c: char| !c.is_ascii_digit()).len();
        let (prefix, digits) = word.split_at(digits_at);
        let number = digits.parse::<u32>().ok().filter(|_| digits.len() <= 5);
        let prefix = prefix.trim_end_matches(['-', '_', '#']);
        let known = |prefix: &str| {
            matches!(
                prefix.to_uppercase().as_str(),
                "ADR" | "DR" | "AD" | "KEP" | "PEP" | "OEP" | "RFC" | "MADR" | "ADRS"
            )
        };
        if let Some(number) = number {
            let named = known(prefix) || (prefix.is_empty() && known(previous));
            if named || (prefix.is_empty() && bare_numbers) {
                let written =
                    if prefix.is_empty() { digits.to_owned() } else { word.to_uppercase() };
                found.push(Target { written, number: Some(number), href: None });
            }
        }
        if !word.is_empty() {
            previous = word;
        }
    }
    found
}

/// Returns whether a status line says that only a part of the record is superseded.
pub(super) fn speaks_of_a_part(written: &str) -> bool {
    let word = written.trim_start_matches(|c: char| !c.is_alphabetic()).to_lowercase();
    word.starts_with("partially") || word.starts_with("partly")
}

/// Returns the status that the words of a status line mean.
pub(super) fn status_of(written: &str) -> Status {
    let plain: String = written
        .chars()
        .map(|c| if c.is_alphanumeric() || c.is_whitespace() || c == ',' { c } else { ' ' })
        .collect::<String>()
        .to_lowercase();
    let words: Vec<&str> = plain.split([' ', ',', '\n']).filter(|word| !word.is_empty()).collect();
    let Some(&first) = words.iter().find(|word| word.chars().any(char::is_alphabetic)) else {
        return Status::Unknown;
    };
    if words.get(1) == Some(&"or") {
        return Status::Unknown;
    }
    match first {
        "accepted" | "approved" | "agreed" | "final" | "active" | "adopted" | "decided"
        | "implementable" | "implemented" | "implementing" | "resolved" | "partially"
        | "partly" => Status::Accepted,
        "proposed" | "pending" | "provisional" | "review" | "under" | "open" | "incomplete" => {
            Status::Proposed
        }
        "draft" | "wip" => Status::Draft,
        "rejected" | "declined" | "abandoned" => Status::Rejected,
        "withdrawn" => Status::Withdrawn,
        "deprecated" | "obsolete" | "archived" | "retired" => Status::Deprecated,
        "superseded" | "superceded" | "replaced" | "obsoleted" => Status::Superseded,
        _ => Status::Unknown,
    }
}
