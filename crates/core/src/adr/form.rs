//! A new decision record in the form of a template or of its neighbours.

use jiff::civil::Date;
use serde_json::json;

use super::edit::cased_like;
use super::{Adr, Status, read, set_status, text};
use crate::frontmatter::{self, Split};
use crate::lines::newline_of;
use crate::yaml::{Style, write_scalar};

/// What a new record says.
#[derive(Debug, Clone, Copy)]
pub struct NewRecord<'n> {
    /// Its file.
    pub path: &'n str,
    /// Its number.
    pub number: u32,
    /// Its title.
    pub title: &'n str,
    /// Its status; `None` leaves it to the form whether there is one.
    pub status: Option<Status>,
    /// The day.
    pub today: Date,
    /// What to write under the headings that every record has, by heading.
    pub guidance: &'n [(&'n str, &'n str)],
}

/// What a new record is modelled on.
#[derive(Debug, Clone, Copy)]
pub enum Model<'m> {
    /// A template: all of its text is taken over.
    Template {
        /// Its text.
        text: &'m str,
        /// The newest record, which decides how titles are written.
        newest: Option<(&'m str, &'m str)>,
    },
    /// The newest record and the one before it, each with its path: their headings and fields are
    /// taken over, and nothing that is particular to one of them.
    Neighbours {
        /// The newest.
        newest: (&'m str, &'m str),
        /// The one before it.
        other: Option<&'m str>,
    },
}

/// Writes a record in the form of a model; `None` if that does not read back as the new record.
pub fn write(new: &NewRecord<'_>, model: &Model<'_>) -> Option<String> {
    let (text, newest) = match model {
        Model::Template { text, newest } => (*text, *newest),
        Model::Neighbours { newest, .. } => (newest.1, Some(*newest)),
    };
    let newest = newest.map(|(path, text)| (read(path, text), text));
    let writer = Writer { new, model, newest: newest.as_ref(), newline: newline_of(text) };
    let (head, body) = match frontmatter::split(text) {
        Split::Block { yaml, body } => (Some(&text[yaml]), &text[body..]),
        Split::None => (None, text),
        Split::Unclosed => return None,
    };
    let newline = writer.newline;
    let head = head.map(|head| format!("---{newline}{}---{newline}", writer.front_matter(head)));
    let written = format!("{}{}", head.unwrap_or_default(), writer.body(body));
    let wanted = new.status.unwrap_or(Status::Proposed);
    let stated = read(new.path, &written).status;
    let written = match new.status {
        // A form without a status gets one where it was asked for.
        Some(status) if stated != status => set_status(new.path, &written, status).ok()?,
        _ => written,
    };
    let adr = read(new.path, &written);
    let is_status = adr.status == wanted || new.status.is_none() && adr.status == Status::Unknown;
    let document = crate::Document::parse(new.path, &written);
    let links = adr.supersedes.is_empty() && adr.superseded_by.is_empty();
    (adr.title == new.title && is_status && links && document.problems.is_empty())
        .then_some(written)
}

struct Writer<'w> {
    new: &'w NewRecord<'w>,
    model: &'w Model<'w>,
    newest: Option<&'w (Adr, &'w str)>,
    newline: &'static str,
}

/// Keys whose value is a day.
const DAYS: &[&str] =
    &["date", "created", "updated", "modified", "last-modified", "last_modified", "last updated"];

/// What the first column of a table of fields is called.
const TABLE_HEADS: &[&str] = &["key", "field", "item", "property", "attribute", "metadata"];

/// Keys whose value is the same in every record, where there is only one to tell from.
const CONSTANT: &[&str] = &["type", "layout", "parent"];

impl Writer<'_> {
    fn is_template(&self) -> bool {
        matches!(self.model, Model::Template { .. })
    }

    fn status(&self) -> &'static str {
        self.new.status.unwrap_or(Status::Proposed).word()
    }

    /// Writes each key of the front matter with what the new record says for it.
    fn front_matter(&self, yaml: &str) -> String {
        let other = match self.model {
            Model::Neighbours { other: Some(other), .. } => match frontmatter::split(other) {
                Split::Block { yaml, .. } => Some(entries(&other[yaml])),
                _ => None,
            },
            _ => None,
        };
        let mut out = String::new();
        for (key, block) in entries(yaml) {
            let is_constant = match &other {
                Some(other) => other.contains(&(key, block)),
                None => CONSTANT.contains(&key),
            };
            let value = block[key.len()..].trim_start_matches(':').trim();
            let folded = key.to_lowercase();
            let line = match folded.as_str() {
                "" => block.to_owned(),
                "status" => self.line(
                    key,
                    &quoted_like(
                        value,
                        &cased_like(value.trim_matches(['"', '\'']), self.status()),
                    ),
                ),
                "title" | "name" => {
                    self.line(key, &write_scalar(&json!(self.new.title), Style::Plain))
                }
                day if DAYS.contains(&day) => {
                    let day = day_like(value.trim_matches(['"', '\'']), self.new.today);
                    self.line(key, &quoted_like(value, &day))
                }
                _ if self.is_number(value) => self.line(key, &self.renumbered(value)),
                _ if self.is_template() || is_constant => block.to_owned(),
                _ if value.starts_with('[') || value.contains('\n') || value.starts_with("- ") => {
                    self.line(key, "[]")
                }
                _ if value == "null" => self.line(key, "null"),
                _ => self.line(key, ""),
            };
            out.push_str(&line);
        }
        out
    }

    fn line(&self, key: &str, value: &str) -> String {
        let gap = if value.is_empty() { "" } else { " " };
        format!("{key}:{gap}{value}{}", self.newline)
    }

    /// Returns whether a value is the number or the id of the record that is the model.
    fn is_number(&self, value: &str) -> bool {
        let Some((newest, _)) = self.newest.filter(|_| !self.is_template()) else { return false };
        let value = value.trim_matches(['"', '\'']);
        newest.number.is_some()
            && (value.parse().ok() == newest.number || newest.id.eq_ignore_ascii_case(value))
    }

    /// Replaces the number in a text by that of the new record, with as many digits.
    fn renumbered(&self, written: &str) -> String {
        let Some(start) = written.find(|c: char| c.is_ascii_digit()) else {
            return written.to_owned();
        };
        let rest = written[start..].trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = &written[start..written.len() - rest.len()];
        let width = if digits.starts_with('0') { digits.len() } else { 0 };
        format!("{}{:0width$}{rest}", &written[..start], self.new.number)
    }

    /// Writes the title as the newest record writes it: `19. Title`, `ADR-0019: Title`, `Title`.
    fn heading(&self) -> String {
        let title = self.new.title;
        let Some((newest, written)) = self.newest else { return title.to_owned() };
        let heading = text::lines(written).find_map(|(_, line)| line.strip_prefix("# "));
        let heading = heading.map(str::trim).unwrap_or_default();
        match heading.strip_suffix(newest.title.as_str()) {
            Some(before) if before.contains(|c: char| c.is_ascii_digit()) => {
                format!("{}{title}", self.renumbered(before))
            }
            _ => title.to_owned(),
        }
    }

    fn body(&self, body: &str) -> String {
        let shown = text::shown(body);
        let lines: Vec<(&str, &str)> =
            text::lines(body).map(|(at, line)| (line, &shown[at..at + line.len()])).collect();
        let headings = self.shared_headings();
        let mut out = Out { text: String::new(), newline: self.newline };
        let mut under = Under::Preamble;
        let mut has_title = false;
        for (at, (line, shown)) in lines.iter().enumerate() {
            match heading_of(shown) {
                Some((1, _)) if !has_title => {
                    has_title = true;
                    out.push(&format!("# {}", self.heading()));
                }
                Some((level, name)) => {
                    under = self.enter(level, name, &headings);
                    let stated = self.field(line).filter(|_| under == Under::Replaced);
                    if under != Under::Dropped {
                        out.heading(&stated.unwrap_or_else(|| (*line).to_owned()));
                        self.fill(name, &lines[at + 1..], &mut out);
                    }
                }
                None => match under {
                    Under::Preamble if self.is_template() => {
                        out.push(&self.field(line).unwrap_or_else(|| (*line).to_owned()));
                    }
                    Under::Preamble if line.trim().is_empty() => out.blank(),
                    Under::Preamble => {
                        self.field(line).into_iter().for_each(|line| out.push(&line));
                    }
                    Under::Kept if self.is_template() => out.push(line),
                    Under::Kept | Under::Replaced | Under::Dropped => {}
                },
            }
        }
        match self.is_template() {
            true => out.text,
            false => format!("{}{}", out.text.trim_end(), self.newline),
        }
    }

    /// Decides what becomes of the text under a heading.
    fn enter(&self, level: usize, name: &str, shared: &[String]) -> Under {
        match name.split(':').next().map(text::bare).as_deref() {
            Some("status" | "date") => Under::Replaced,
            _ if self.is_template() => Under::Kept,
            _ if level == 2 && (shared.is_empty() || shared.contains(&text::bare(name))) => {
                Under::Kept
            }
            _ if shared.contains(&text::bare(name)) => Under::Kept,
            _ => Under::Dropped,
        }
    }

    /// Writes what stands under a heading from the start: the status, the day or guidance.
    fn fill(&self, name: &str, below: &[(&str, &str)], out: &mut Out) {
        let first = below
            .iter()
            .take_while(|(_, shown)| heading_of(shown).is_none())
            .find(|(_, shown)| !shown.trim().is_empty())
            .map_or("", |(line, _)| line.trim());
        let bare = text::bare(name);
        let guided = self.new.guidance.iter().find(|(heading, _)| bare == *heading);
        let filled = match bare.as_str() {
            "status" => Some(cased_like(first, self.status())),
            "date" => Some(day_like(first, self.new.today)),
            _ if self.is_template() || bare.contains(':') => None,
            _ => guided.map(|(_, guidance)| (*guidance).to_owned()),
        };
        if let Some(filled) = filled {
            out.blank();
            out.push(&filled);
            out.blank();
        }
    }

    /// Returns the headings that the newest record shares with the one before it.
    fn shared_headings(&self) -> Vec<String> {
        let Model::Neighbours { newest, other: Some(other) } = self.model else { return vec![] };
        let other = headings(other);
        headings(newest.1).into_iter().filter(|heading| other.contains(heading)).collect()
    }

    /// Rewrites a line `Key: value` for the new record: its status and day, in a copy of a
    /// neighbour nothing else.
    fn field(&self, line: &str) -> Option<String> {
        let (key, value) = text::key_value(line)?;
        let old = &line[value.clone()];
        let is_row = line.trim_start().starts_with('|');
        let new = match key.as_str() {
            "status" => cased_like(old, self.status()),
            day if DAYS.contains(&day) => day_like(old, self.new.today),
            _ if self.is_template() => return None,
            // The head of a table is the same in every record.
            key if is_row && (key.starts_with('-') || TABLE_HEADS.contains(&key)) => old.to_owned(),
            _ => String::new(),
        };
        Some(format!("{}{new}{}", &line[..value.start], &line[value.end..]).trim_end().to_owned())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Under {
    /// Before the first heading below the title.
    Preamble,
    /// A heading that stays; of a template, with its text.
    Kept,
    /// A heading that stays and whose text is replaced.
    Replaced,
    /// A heading that is particular to the model.
    Dropped,
}

/// Text that grows by lines, with one blank line around headings.
struct Out {
    text: String,
    newline: &'static str,
}

impl Out {
    fn push(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push_str(self.newline);
    }

    fn blank(&mut self) {
        let double = [self.newline, self.newline].concat();
        if !self.text.is_empty() && !self.text.ends_with(&double) {
            self.text.push_str(self.newline);
        }
    }

    fn heading(&mut self, line: &str) {
        self.blank();
        self.push(line);
    }
}

/// Returns the level and the text of a markdown heading.
fn heading_of(shown: &str) -> Option<(usize, &str)> {
    let level = shown.bytes().take_while(|byte| *byte == b'#').count();
    let is_heading = (1..=6).contains(&level);
    is_heading.then(|| text::heading(shown, None)).flatten().map(|name| (level, name))
}

fn headings(text: &str) -> Vec<String> {
    let shown = text::shown(text);
    let lines = text::lines(&shown).filter_map(|(_, line)| heading_of(line));
    lines.filter(|(level, _)| *level > 1).map(|(_, name)| text::bare(name)).collect()
}

/// Cuts YAML at its top-level keys: each with its lines. Lines that belong to none have an empty
/// key.
fn entries(yaml: &str) -> Vec<(&str, &str)> {
    let is_inner =
        |line: &str| line.starts_with([' ', '\t', '-', ']', '}']) || line.trim().is_empty();
    let mut found: Vec<(&str, std::ops::Range<usize>)> = Vec::new();
    let mut at = 0;
    for line in yaml.split_inclusive('\n') {
        let range = at..at + line.len();
        at = range.end;
        let key = line.split_once(':').map(|(key, _)| key).filter(|_| !line.starts_with('#'));
        match (found.last_mut(), is_inner(line)) {
            (Some((_, last)), true) => last.end = range.end,
            _ => found.push((key.unwrap_or_default(), range)),
        }
    }
    found.into_iter().map(|(key, range)| (key, &yaml[range])).collect()
}

/// Quotes a text as another one is quoted.
fn quoted_like(old: &str, new: &str) -> String {
    match old.chars().next() {
        Some(mark @ ('"' | '\'')) => format!("{mark}{new}{mark}"),
        _ => new.to_owned(),
    }
}

/// Writes a day in the format of another.
fn day_like(old: &str, today: Date) -> String {
    const FORMATS: &[&str] = &[
        "%Y-%m-%d",
        "%Y/%m/%d",
        "%Y.%m.%d",
        "%d.%m.%Y",
        "%d-%m-%Y",
        "%m/%d/%Y",
        "%d/%m/%Y",
        "%B %-d, %Y",
        "%-d %B %Y",
        "%b %-d, %Y",
        "%-d %b %Y",
        "%B %d, %Y",
        "%d %B %Y",
        "%b %d, %Y",
        "%d %b %Y",
    ];
    let writes = |format: &&&str| {
        Date::strptime(format, old).is_ok_and(|day| day.strftime(format).to_string() == old)
    };
    FORMATS
        .iter()
        .find(writes)
        .map_or_else(|| today.to_string(), |format| today.strftime(format).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn new_record<'n>() -> NewRecord<'n> {
        NewRecord {
            path: "docs/adr/0020-use-x.md",
            number: 20,
            title: "Use X",
            status: None,
            today: date(2026, 2, 22),
            guidance: &[
                ("decision", "What was decided."),
                ("decision outcome", "What was decided."),
            ],
        }
    }

    fn like(newest: &str, other: Option<&str>) -> String {
        let newest = ("docs/adr/0019-old.md", newest);
        write(&new_record(), &Model::Neighbours { newest, other }).unwrap()
    }

    #[test]
    fn the_form_of_adr_tools() {
        let newest = "# 19. Old way\n\nDate: 2020-05-04\n\n## Status\n\nAccepted\n\nAmends [3. Y](0003-y.md)\n\n## Context\n\nLong.\n\n### Aside\n\nText.\n\n## Decision\n\nDone.\n";
        assert_eq!(
            like(newest, None),
            "# 20. Use X\n\nDate: 2026-02-22\n\n## Status\n\nProposed\n\n## Context\n\n## Decision\n\nWhat was decided.\n"
        );
    }

    #[test]
    fn the_form_of_madr() {
        let newest = "---\nstatus: accepted\ndate: 2024-05-04\ndeciders: [ann, bob]\nparent: Decisions\nnav_order: 19\n---\n# Old way\n\n## Context and Problem Statement\n\nLong.\n\n## Particulars\n\nx\n\n## Decision Outcome\n\nChosen.\n";
        let other = "---\nstatus: superseded by ADR-0019\ndate: 2024-05-01\ndeciders: [cat]\nparent: Decisions\nnav_order: 18\n---\n# Older\n\n## Context and Problem Statement\n\n## Decision Outcome\n";
        assert_eq!(
            like(newest, Some(other)),
            "---\nstatus: proposed\ndate: 2026-02-22\ndeciders: []\nparent: Decisions\nnav_order: 20\n---\n# Use X\n\n## Context and Problem Statement\n\n## Decision Outcome\n\nWhat was decided.\n"
        );
    }

    #[test]
    fn status_lines_tables_and_no_status() {
        let line = like(
            "# ADR-0019: Old\n\n* Status: **Accepted**\n* Deciders: ann\n* Date: May 4, 2020\n\n## Decision\n\nx\n",
            None,
        );
        assert_eq!(
            line,
            "# ADR-0020: Use X\n\n* Status: Proposed\n* Deciders:\n* Date: February 22, 2026\n\n## Decision\n\nWhat was decided.\n"
        );
        let table = like(
            "# Old\n\n| Field | Value |\n|---|---|\n| Status | accepted |\n| Owner | ann |\n\n## Decision\n\nx\n",
            None,
        );
        assert_eq!(
            table,
            "# Use X\n\n| Field | Value |\n|---|---|\n| Status | proposed |\n| Owner |  |\n\n## Decision\n\nWhat was decided.\n"
        );
        let none = like("# Old\n\n## Decision\n\nx\n", None);
        assert_eq!(none, "# Use X\n\n## Decision\n\nWhat was decided.\n");
        let asked = NewRecord { status: Some(Status::Accepted), ..new_record() };
        let newest = ("docs/adr/0019-old.md", "# Old\n\n## Decision\n\nx\n");
        let stated = write(&asked, &Model::Neighbours { newest, other: None }).unwrap();
        assert_eq!(read(asked.path, &stated).status, Status::Accepted);
    }

    #[test]
    fn a_template_keeps_its_text() {
        let template = "# {short title}\r\n\r\n## Status\r\n\r\nWhat is the status, such as proposed or accepted?\r\n\r\n## Context\r\n\r\nWhat is the issue?\r\n";
        let model = Model::Template { text: template, newest: None };
        assert_eq!(
            write(&new_record(), &model).unwrap(),
            "# Use X\r\n\r\n## Status\r\n\r\nProposed\r\n\r\n## Context\r\n\r\nWhat is the issue?\r\n"
        );
        let madr = "---\nstatus: \"{proposed | rejected | accepted | … | superseded by ADR-0123}\"\ndate: {YYYY-MM-DD when the decision was last updated}\n---\n\n# {short title}\n\n## Decision Outcome\n\nChosen option: \"{title of option 1}\"\n";
        assert_eq!(
            write(&new_record(), &Model::Template { text: madr, newest: None }).unwrap(),
            "---\nstatus: \"proposed\"\ndate: 2026-02-22\n---\n\n# Use X\n\n## Decision Outcome\n\nChosen option: \"{title of option 1}\"\n"
        );
    }
}
