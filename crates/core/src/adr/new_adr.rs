//! Writes a new decision record in the layout of a template or of existing records.

use jiff::civil::Date;
use serde_json::json;

use super::edit::match_case;
use super::{Adr, Status, read, set_status, text};
use crate::frontmatter::{self, FrontMatterLocation};
use crate::lines::detect_newline;
use crate::name;
use crate::yaml::{YamlStyle, write_inline};

/// The content of a new record.
#[derive(Debug, Clone, Copy)]
pub struct NewAdr<'n> {
    /// The path of the file.
    pub path: &'n str,
    /// The number.
    pub number: u32,
    /// The title.
    pub title: &'n str,
    /// The status; `None` writes `proposed` where the model has a status.
    pub status: Option<Status>,
    /// The date of the record.
    pub today: Date,
    /// Text to write under headings, by the heading in lower case.
    pub guidance: &'n [(&'n str, &'n str)],
}

/// The text that gives a new record its layout.
#[derive(Debug, Clone, Copy)]
pub enum AdrLayout<'m> {
    /// A template, whose text is kept.
    Template {
        /// The text of the template.
        text: &'m str,
        /// The path and text of the newest record, which decides how the title is written.
        newest: Option<(&'m str, &'m str)>,
    },
    /// The newest record and the one before it. The headings and fields that both have are kept.
    ExistingRecords {
        /// The path and text of the newest record.
        newest: (&'m str, &'m str),
        /// The text of the record before it.
        other: Option<&'m str>,
    },
}

/// Writes a record in the layout of a model; `None` if the result does not read back as the new record.
pub fn write_new_adr(new: &NewAdr<'_>, model: &AdrLayout<'_>) -> Option<String> {
    let (text, newest) = match model {
        AdrLayout::Template { text, newest } => (*text, *newest),
        AdrLayout::ExistingRecords { newest, .. } => (newest.1, Some(*newest)),
    };
    let newest = newest.map(|(path, text)| (read(path, text), text));
    let writer = Writer { new, model, newest: newest.as_ref(), newline: detect_newline(text) };
    let (yaml, body) = match frontmatter::split(text) {
        FrontMatterLocation::Block { yaml, body } => (Some(&text[yaml]), &text[body..]),
        FrontMatterLocation::None => (None, text),
        FrontMatterLocation::Unclosed => return None,
    };
    let newline = writer.newline;
    let front_matter =
        yaml.map(|yaml| format!("---{newline}{}---{newline}", writer.front_matter(yaml)));
    let draft = format!("{}{}", front_matter.unwrap_or_default(), writer.body(body));
    let draft_status = read(new.path, &draft).status;
    let record = match new.status {
        // The model may have no place for a status.
        Some(status) if draft_status != status => set_status(new.path, &draft, status).ok()?,
        _ => draft,
    };
    is_as_requested(new, &record).then_some(record)
}

/// Returns whether a text reads back as the new record.
fn is_as_requested(new: &NewAdr<'_>, text: &str) -> bool {
    let adr = read(new.path, text);
    let has_status = match new.status {
        Some(status) => adr.status == status,
        None => matches!(adr.status, Status::Proposed | Status::Unknown),
    };
    let has_links = !adr.supersedes.is_empty() || !adr.superseded_by.is_empty();
    let has_problems = !crate::Document::parse(new.path, text).problems.is_empty();
    adr.title == new.title && has_status && !has_links && !has_problems
}

/// Writes one record.
struct Writer<'w> {
    new: &'w NewAdr<'w>,
    model: &'w AdrLayout<'w>,
    newest: Option<&'w (Adr, &'w str)>,
    newline: &'static str,
}

/// Keys whose value is a date.
const DATE_KEYS: &[&str] =
    &["date", "created", "updated", "modified", "last-modified", "last_modified", "last updated"];

/// Headers of the first column of a table of fields.
const TABLE_HEADERS: &[&str] = &["key", "field", "item", "property", "attribute", "metadata"];

/// Keys whose value is taken to be the same in every record if there is only one to compare.
const CONSTANT_KEYS: &[&str] = &["type", "layout", "parent"];

impl Writer<'_> {
    fn is_template(&self) -> bool {
        matches!(self.model, AdrLayout::Template { .. })
    }

    fn status(&self) -> &'static str {
        self.new.status.unwrap_or(Status::Proposed).as_str()
    }

    /// Writes the front matter of the model with the values of the new record.
    fn front_matter(&self, yaml: &str) -> String {
        let other = match self.model {
            AdrLayout::ExistingRecords { other: Some(other), .. } => {
                match frontmatter::split(other) {
                    FrontMatterLocation::Block { yaml, .. } => Some(split_at_keys(&other[yaml])),
                    _ => None,
                }
            }
            _ => None,
        };
        let mut out = String::new();
        for (key, block) in split_at_keys(yaml) {
            let is_constant = match &other {
                Some(other) => other.contains(&(key, block)),
                None => CONSTANT_KEYS.contains(&key),
            };
            out.push_str(&self.front_matter_entry(key, block, is_constant));
        }
        out
    }

    /// Writes one key of the front matter; `block` is the key with its lines in the model.
    fn front_matter_entry(&self, key: &str, block: &str, is_constant: bool) -> String {
        let value = block[key.len()..].trim_start_matches(':').trim();
        let unquoted = value.trim_matches(['"', '\'']);
        match key.to_lowercase().as_str() {
            "" => block.to_owned(),
            "status" => {
                let status = match_case(unquoted, self.status());
                self.line(key, &match_quotes(value, &status))
            }
            "title" | "name" => {
                self.line(key, &write_inline(&json!(self.new.title), YamlStyle::Plain))
            }
            date_key if DATE_KEYS.contains(&date_key) => {
                let date = match_date_format(unquoted, self.new.today);
                self.line(key, &match_quotes(value, &date))
            }
            _ if self.is_model_number(value) => self.line(key, &self.replace_number(value)),
            _ if self.is_template() || is_constant => block.to_owned(),
            _ if value.starts_with('[') || value.contains('\n') || value.starts_with("- ") => {
                self.line(key, "[]")
            }
            _ if value == "null" => self.line(key, "null"),
            _ => self.line(key, ""),
        }
    }

    fn line(&self, key: &str, value: &str) -> String {
        let gap = if value.is_empty() { "" } else { " " };
        format!("{key}:{gap}{value}{}", self.newline)
    }

    /// Returns whether a value is the number or the id of the record that serves as the model.
    fn is_model_number(&self, value: &str) -> bool {
        let Some((newest, _)) = self.newest.filter(|_| !self.is_template()) else { return false };
        let value = value.trim_matches(['"', '\'']);
        newest.number.is_some()
            && (value.parse().ok() == newest.number || newest.id.eq_ignore_ascii_case(value))
    }

    /// Replaces the number in a text by that of the new record, padded to the same width.
    fn replace_number(&self, text: &str) -> String {
        let Some(start) = text.find(|c: char| c.is_ascii_digit()) else {
            return text.to_owned();
        };
        let (digits, rest) = name::split_leading_digits(&text[start..]);
        let width = if digits.starts_with('0') { digits.len() } else { 0 };
        format!("{}{:0width$}{rest}", &text[..start], self.new.number)
    }

    /// Writes the title as the newest record writes it: `19. Title`, `ADR-0019: Title`, `Title`.
    fn heading(&self) -> String {
        let title = self.new.title;
        let Some((newest, newest_text)) = self.newest else { return title.to_owned() };
        let heading = text::lines(newest_text).find_map(|(_, line)| line.strip_prefix("# "));
        let heading = heading.map(str::trim).unwrap_or_default();
        match heading.strip_suffix(newest.title.as_str()) {
            Some(before) if before.contains(|c: char| c.is_ascii_digit()) => {
                format!("{}{title}", self.replace_number(before))
            }
            _ => title.to_owned(),
        }
    }

    /// Writes the body of the model with the title, status, date and guidance of the new record.
    fn body(&self, body: &str) -> String {
        let visible = text::visible(body);
        let lines: Vec<(&str, &str)> =
            text::lines(body).map(|(at, line)| (line, &visible[at..at + line.len()])).collect();
        let shared_headings = self.shared_headings();
        let mut out = LineWriter { text: String::new(), newline: self.newline };
        let mut mode = SectionMode::Preamble;
        let mut has_title = false;
        for (index, (line, visible)) in lines.iter().enumerate() {
            match parse_heading(visible) {
                Some((1, _)) if !has_title => {
                    has_title = true;
                    out.push(&format!("# {}", self.heading()));
                }
                Some((level, name)) => {
                    mode = self.section_mode(level, name, &shared_headings);
                    let with_value = self.field(line).filter(|_| mode == SectionMode::Replace);
                    if mode != SectionMode::Drop {
                        out.push_heading(&with_value.unwrap_or_else(|| (*line).to_owned()));
                        self.write_section_start(name, &lines[index + 1..], &mut out);
                    }
                }
                None => self.write_line(line, mode, &mut out),
            }
        }
        match self.is_template() {
            true => out.text,
            false => format!("{}{}", out.text.trim_end(), self.newline),
        }
    }

    /// Writes a line that is not a heading, as the section around it demands.
    fn write_line(&self, line: &str, mode: SectionMode, out: &mut LineWriter) {
        match mode {
            SectionMode::Preamble if self.is_template() => {
                out.push(&self.field(line).unwrap_or_else(|| line.to_owned()));
            }
            SectionMode::Preamble if line.trim().is_empty() => out.push_blank(),
            SectionMode::Preamble => {
                self.field(line).into_iter().for_each(|field| out.push(&field));
            }
            SectionMode::Keep if self.is_template() => out.push(line),
            SectionMode::Keep | SectionMode::Replace | SectionMode::Drop => {}
        }
    }

    /// Decides how the section under a heading is written.
    fn section_mode(&self, level: usize, name: &str, shared_headings: &[String]) -> SectionMode {
        match name.split(':').next().map(text::plain).as_deref() {
            Some("status" | "date") => SectionMode::Replace,
            _ if self.is_template() => SectionMode::Keep,
            _ if level == 2 && shared_headings.is_empty() => SectionMode::Keep,
            _ if shared_headings.contains(&text::plain(name)) => SectionMode::Keep,
            _ => SectionMode::Drop,
        }
    }

    /// Writes the status, the date or the guidance at the start of a section. `below` holds the lines
    /// after the heading in the model.
    fn write_section_start(&self, name: &str, below: &[(&str, &str)], out: &mut LineWriter) {
        let first = below
            .iter()
            .take_while(|(_, visible)| parse_heading(visible).is_none())
            .find(|(_, visible)| !visible.trim().is_empty())
            .map_or("", |(line, _)| line.trim());
        let name = text::plain(name);
        let guidance = self.new.guidance.iter().find(|(heading, _)| name == *heading);
        let start = match name.as_str() {
            "status" => Some(match_case(first, self.status())),
            "date" => Some(match_date_format(first, self.new.today)),
            _ if self.is_template() || name.contains(':') => None,
            _ => guidance.map(|(_, guidance)| (*guidance).to_owned()),
        };
        if let Some(start) = start {
            out.push_blank();
            out.push(&start);
            out.push_blank();
        }
    }

    /// Returns the headings that the newest record shares with the one before it.
    fn shared_headings(&self) -> Vec<String> {
        let AdrLayout::ExistingRecords { newest, other: Some(other) } = self.model else {
            return vec![];
        };
        let other = section_names(other);
        section_names(newest.1).into_iter().filter(|heading| other.contains(heading)).collect()
    }

    /// Rewrites a line `Key: value` for the new record. A status and a date are set; any other value
    /// is kept in a template (`None`) and emptied in a copy of a record.
    fn field(&self, line: &str) -> Option<String> {
        let (key, value) = text::key_value(line)?;
        let old = &line[value.clone()];
        let is_row = line.trim_start().starts_with('|');
        let new = match key.as_str() {
            "status" => match_case(old, self.status()),
            date_key if DATE_KEYS.contains(&date_key) => match_date_format(old, self.new.today),
            _ if self.is_template() => return None,
            key if is_row && (key.starts_with('-') || TABLE_HEADERS.contains(&key)) => {
                old.to_owned()
            }
            _ => String::new(),
        };
        Some(format!("{}{new}{}", &line[..value.start], &line[value.end..]).trim_end().to_owned())
    }
}

/// How the section of a model is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SectionMode {
    /// The lines before the first heading below the title.
    Preamble,
    /// The heading is kept, and in a template the text too.
    Keep,
    /// The heading is kept and the text replaced.
    Replace,
    /// The heading and the text are left out.
    Drop,
}

/// Text that grows by lines, with one blank line around headings.
struct LineWriter {
    text: String,
    newline: &'static str,
}

impl LineWriter {
    fn push(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push_str(self.newline);
    }

    /// Adds a blank line unless there is one already.
    fn push_blank(&mut self) {
        let double = [self.newline, self.newline].concat();
        if !self.text.is_empty() && !self.text.ends_with(&double) {
            self.text.push_str(self.newline);
        }
    }

    fn push_heading(&mut self, line: &str) {
        self.push_blank();
        self.push(line);
    }
}

/// Returns the level and the text of a markdown heading.
fn parse_heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let is_heading = (1..=6).contains(&level);
    is_heading.then(|| text::heading(line, None)).flatten().map(|name| (level, name))
}

/// Returns the headings below the title, in lower case without markup.
fn section_names(text: &str) -> Vec<String> {
    let visible = text::visible(text);
    let headings = text::lines(&visible).filter_map(|(_, line)| parse_heading(line));
    headings.filter(|(level, _)| *level > 1).map(|(_, name)| text::plain(name)).collect()
}

/// Splits YAML at its top-level keys and returns each with its lines. Lines without a key have an
/// empty one.
fn split_at_keys(yaml: &str) -> Vec<(&str, &str)> {
    let is_inner =
        |line: &str| line.starts_with([' ', '\t', '-', ']', '}']) || line.trim().is_empty();
    let mut entries: Vec<(&str, std::ops::Range<usize>)> = Vec::new();
    let mut at = 0;
    for line in yaml.split_inclusive('\n') {
        let range = at..at + line.len();
        at = range.end;
        let key = line.split_once(':').map(|(key, _)| key).filter(|_| !line.starts_with('#'));
        match (entries.last_mut(), is_inner(line)) {
            (Some((_, last)), true) => last.end = range.end,
            _ => entries.push((key.unwrap_or_default(), range)),
        }
    }
    entries.into_iter().map(|(key, range)| (key, &yaml[range])).collect()
}

/// Puts a text into the quotes that another text has.
fn match_quotes(old: &str, new: &str) -> String {
    match old.chars().next() {
        Some(mark @ ('"' | '\'')) => format!("{mark}{new}{mark}"),
        _ => new.to_owned(),
    }
}

/// Writes a date in the format of another, or as `YYYY-MM-DD` if that format is not known.
fn match_date_format(old: &str, today: Date) -> String {
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
    let is_format_of_old = |format: &&&str| {
        Date::strptime(format, old).is_ok_and(|date| date.strftime(format).to_string() == old)
    };
    FORMATS
        .iter()
        .find(is_format_of_old)
        .map_or_else(|| today.to_string(), |format| today.strftime(format).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn new_record<'n>() -> NewAdr<'n> {
        NewAdr {
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

    fn write_like(newest: &str, other: Option<&str>) -> String {
        let newest = ("docs/adr/0019-old.md", newest);
        write_new_adr(&new_record(), &AdrLayout::ExistingRecords { newest, other }).unwrap()
    }

    #[test]
    fn the_layout_of_adr_tools_is_kept() {
        let newest = "# 19. Old way\n\nDate: 2020-05-04\n\n## Status\n\nAccepted\n\nAmends [3. Y](0003-y.md)\n\n## Context\n\nLong.\n\n### Aside\n\nText.\n\n## Decision\n\nDone.\n";
        assert_eq!(
            write_like(newest, None),
            "# 20. Use X\n\nDate: 2026-02-22\n\n## Status\n\nProposed\n\n## Context\n\n## Decision\n\nWhat was decided.\n"
        );
    }

    #[test]
    fn the_layout_of_madr_is_kept() {
        let newest = "---\nstatus: accepted\ndate: 2024-05-04\ndeciders: [ann, bob]\nparent: Decisions\nnav_order: 19\n---\n# Old way\n\n## Context and Problem Statement\n\nLong.\n\n## Particulars\n\nx\n\n## Decision Outcome\n\nChosen.\n";
        let other = "---\nstatus: superseded by ADR-0019\ndate: 2024-05-01\ndeciders: [cat]\nparent: Decisions\nnav_order: 18\n---\n# Older\n\n## Context and Problem Statement\n\n## Decision Outcome\n";
        assert_eq!(
            write_like(newest, Some(other)),
            "---\nstatus: proposed\ndate: 2026-02-22\ndeciders: []\nparent: Decisions\nnav_order: 20\n---\n# Use X\n\n## Context and Problem Statement\n\n## Decision Outcome\n\nWhat was decided.\n"
        );
    }

    #[test]
    fn status_lines_and_tables_are_kept() {
        let line = write_like(
            "# ADR-0019: Old\n\n* Status: **Accepted**\n* Deciders: ann\n* Date: May 4, 2020\n\n## Decision\n\nx\n",
            None,
        );
        assert_eq!(
            line,
            "# ADR-0020: Use X\n\n* Status: Proposed\n* Deciders:\n* Date: February 22, 2026\n\n## Decision\n\nWhat was decided.\n"
        );
        let table = write_like(
            "# Old\n\n| Field | Value |\n|---|---|\n| Status | accepted |\n| Owner | ann |\n\n## Decision\n\nx\n",
            None,
        );
        assert_eq!(
            table,
            "# Use X\n\n| Field | Value |\n|---|---|\n| Status | proposed |\n| Owner |  |\n\n## Decision\n\nWhat was decided.\n"
        );
    }

    #[test]
    fn a_status_is_added_only_on_request() {
        let none = write_like("# Old\n\n## Decision\n\nx\n", None);
        assert_eq!(none, "# Use X\n\n## Decision\n\nWhat was decided.\n");
        let with_status = NewAdr { status: Some(Status::Accepted), ..new_record() };
        let newest = ("docs/adr/0019-old.md", "# Old\n\n## Decision\n\nx\n");
        let text = write_new_adr(&with_status, &AdrLayout::ExistingRecords { newest, other: None })
            .unwrap();
        assert_eq!(read(with_status.path, &text).status, Status::Accepted);
    }

    #[test]
    fn a_template_keeps_its_text() {
        let template = "# {short title}\r\n\r\n## Status\r\n\r\nWhat is the status, such as proposed or accepted?\r\n\r\n## Context\r\n\r\nWhat is the issue?\r\n";
        let model = AdrLayout::Template { text: template, newest: None };
        assert_eq!(
            write_new_adr(&new_record(), &model).unwrap(),
            "# Use X\r\n\r\n## Status\r\n\r\nProposed\r\n\r\n## Context\r\n\r\nWhat is the issue?\r\n"
        );
        let madr = "---\nstatus: \"{proposed | rejected | accepted | … | superseded by ADR-0123}\"\ndate: {YYYY-MM-DD when the decision was last updated}\n---\n\n# {short title}\n\n## Decision Outcome\n\nChosen option: \"{title of option 1}\"\n";
        assert_eq!(
            write_new_adr(&new_record(), &AdrLayout::Template { text: madr, newest: None })
                .unwrap(),
            "---\nstatus: \"proposed\"\ndate: 2026-02-22\n---\n\n# Use X\n\n## Decision Outcome\n\nChosen option: \"{title of option 1}\"\n"
        );
    }
}
