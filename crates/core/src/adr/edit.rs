//! Edits of a record's status and links that keep the style of the record.

use std::ops::Range;

use serde_json::json;

use super::site::{StatusSite, StatusStyle, find};
use super::{Adr, LinkTarget, Status, parse_document, read, target_matches, text};
use crate::lines::detect_newline;
use crate::{Document, Problem, frontmatter, path};

/// Sets a record's status. Only the status word is replaced: a date or a link beside it stays.
pub fn set_status(path: &str, text: &str, status: Status) -> Result<String, Problem> {
    let record = read(path, text);
    let edited = match find_status(path, text) {
        Some(site) if site.style != StatusStyle::FrontMatter => {
            let word = record.word_to_replace(text, &site);
            splice(text, word.clone(), &match_case(&text[word], status.as_str()))
        }
        _ => {
            let old = Document::parse(path, text).field("status").unwrap_or_default().to_owned();
            set_in_front_matter(path, text, "status", &record.reword(&old, status.as_str()))?
        }
    };
    verify(path, &record, edited, |adr| {
        adr.status == status && has_all(&adr.supersedes, &record.supersedes)
    })
}

/// Marks a record as superseded by another.
pub fn mark_superseded(path: &str, text: &str, by: &Adr) -> Result<String, Problem> {
    let record = read(path, text);
    if record.superseded_by.iter().any(|target| leads_to(path, target, by))
        && record.status == Status::Superseded
    {
        return Ok(text.to_owned());
    }
    let edited = match find_status(path, text) {
        Some(site) if site.style == StatusStyle::Header => {
            let word = record.word_to_replace(text, &site);
            let with_status = splice(text, word.clone(), &match_case(&text[word], "superseded"));
            insert_line_after(
                &with_status,
                site.bytes.start,
                &format!("Superseded-By: {}", number_or_id(by)),
            )
        }
        Some(site) if site.style == StatusStyle::Cell && !is_markdown(path) => {
            return Err(grid_table_problem(path, site.line));
        }
        Some(site)
            if site.style != StatusStyle::FrontMatter && record.status == Status::Superseded =>
        {
            splice(text, site.bytes.end..site.bytes.end, &format!(" and {}", link(path, by)))
        }
        Some(site) if site.style != StatusStyle::FrontMatter => {
            let word = record.word_to_replace(text, &site);
            let new =
                format!("{} {}", match_case(&text[word.clone()], "superseded by"), link(path, by));
            splice(text, word, &new)
        }
        _ => mark_superseded_in_front_matter(path, text, &record, by)?,
    };
    verify(path, &record, edited, |adr| {
        adr.status == Status::Superseded
            && adr.superseded_by.iter().any(|target| leads_to(path, target, by))
            && has_all(&adr.superseded_by, &record.superseded_by)
            && has_all(&adr.supersedes, &record.supersedes)
    })
}

/// Writes into a record that it supersedes another.
pub fn mark_supersedes(path: &str, text: &str, old: &Adr) -> Result<String, Problem> {
    let record = read(path, text);
    if record.supersedes.iter().any(|target| leads_to(path, target, old)) {
        return Ok(text.to_owned());
    }
    let edited = match find_status(path, text) {
        Some(site) if site.style == StatusStyle::Cell && !is_markdown(path) => {
            return Err(grid_table_problem(path, site.line));
        }
        Some(site) if site.style != StatusStyle::FrontMatter => {
            insert_supersedes(path, text, &site, old)
        }
        _ if !is_markdown(path) => return Err(no_status_problem(path)),
        _ => frontmatter::append_to_list(path, text, "supersedes", &front_matter_name(path, old))?,
    };
    verify(path, &record, edited, |adr| {
        adr.status == record.status
            && adr.supersedes.iter().any(|target| leads_to(path, target, old))
            && has_all(&adr.superseded_by, &record.superseded_by)
            && has_all(&adr.supersedes, &record.supersedes)
    })
}

/// Inserts a line that names the superseded record after the status, in the style of the status.
fn insert_supersedes(path: &str, text: &str, site: &StatusSite, old: &Adr) -> String {
    let line_start = text[..site.bytes.start].rfind('\n').map_or(0, |newline| newline + 1);
    let (position, line) = match site.style {
        StatusStyle::Header => (site.bytes.start, format!("Replaces: {}", number_or_id(old))),
        StatusStyle::Section | StatusStyle::Heading => {
            (site.bytes.end, format!("{}Supersedes {}", detect_newline(text), link(path, old)))
        }
        StatusStyle::Cell => (site.bytes.start, format!("| Supersedes | {} |", link(path, old))),
        StatusStyle::ListTable => {
            let indent: String = text[line_start..].chars().take_while(|c| *c == ' ').collect();
            let outer = &indent[..indent.len().saturating_sub(2)];
            let row = format!("{outer}* - Replaces{}{indent}- {}", detect_newline(text), old.id);
            (site.bytes.start, row)
        }
        StatusStyle::Line | StatusStyle::FrontMatter => {
            let label = replace_word(&text[line_start..site.bytes.start], "status", "Supersedes");
            (site.bytes.start, format!("{label}{}", link(path, old)))
        }
    };
    insert_line_after(text, position, &line)
}

fn mark_superseded_in_front_matter(
    path: &str,
    text: &str,
    record: &Adr,
    by: &Adr,
) -> Result<String, Problem> {
    let document = Document::parse(path, text);
    let mut edited = text.to_owned();
    if record.status != Status::Superseded {
        let old = document.field("status").unwrap_or_default();
        edited = set_in_front_matter(path, text, "status", &record.reword(old, "superseded"))?;
    }
    let name = front_matter_name(path, by);
    match document.field_list("superseded_by").is_empty() {
        true => set_in_front_matter(path, &edited, "superseded_by", &name),
        false => frontmatter::append_to_list(path, &edited, "superseded_by", &name),
    }
}

fn set_in_front_matter(path: &str, text: &str, key: &str, value: &str) -> Result<String, Problem> {
    if is_markdown(path) {
        frontmatter::set(path, text, key, &json!(value))
    } else {
        Err(no_status_problem(path))
    }
}

fn is_markdown(path: &str) -> bool {
    !path::is_restructured_text(path)
}

fn no_status_problem(path: &str) -> Problem {
    Problem::in_file(path, "the record states no status, and reStructuredText has no front matter")
        .hint("add a `Status` section by hand")
}

fn grid_table_problem(path: &str, line: usize) -> Problem {
    Problem::at(path, line, "the status is in a grid table, whose borders an edit would misalign")
        .hint("edit the table by hand")
}

impl Adr {
    /// Returns the byte range of the status word, or of the whole value if the status is unknown.
    fn word_to_replace(&self, text: &str, site: &StatusSite) -> Range<usize> {
        match self.status {
            Status::Unknown => site.bytes.clone(),
            _ => site.word(&text::visible(text)),
        }
    }

    /// Replaces the first word of a front-matter status, or all of it if the status is unknown.
    fn reword(&self, old: &str, word: &str) -> String {
        let known = Some(old).filter(|_| self.status != Status::Unknown);
        known.and_then(|old| replace_first_word(old, word)).unwrap_or_else(|| word.to_owned())
    }
}

/// Returns whether a target written in the record `from` leads to another record: by its file, or by
/// its name within the same folder.
fn leads_to(from: &str, target: &LinkTarget, adr: &Adr) -> bool {
    match target.href.as_deref().and_then(|href| path::resolve_link(from, href)) {
        Some(linked_path) => linked_path == adr.path,
        None => target_matches(target, adr) && path::folder(from) == path::folder(&adr.path),
    }
}

/// Returns the name of a record for the front matter of the record `from`: its id within the same
/// folder, otherwise its relative path, since another folder may have the same id.
fn front_matter_name(from: &str, adr: &Adr) -> String {
    if path::folder(from) == path::folder(&adr.path) {
        adr.id.clone()
    } else {
        path::relative_link(from, &adr.path)
    }
}

/// Returns whether every expected target is among the targets.
fn has_all(targets: &[LinkTarget], expected: &[LinkTarget]) -> bool {
    let is_same = |a: &LinkTarget, b: &LinkTarget| {
        (a.number.is_some() && a.number == b.number) || a.written == b.written
    };
    expected.iter().all(|expected| targets.iter().any(|target| is_same(expected, target)))
}

fn find_status(path: &str, text: &str) -> Option<StatusSite> {
    let document = parse_document(path, text);
    find(&document, text, &text::visible(text))
}

/// Returns an edited text if it reads back with the same title and as expected, otherwise a problem.
fn verify(
    path: &str,
    before: &Adr,
    edited: String,
    is_expected: impl FnOnce(&Adr) -> bool,
) -> Result<String, Problem> {
    let after = read(path, &edited);
    if after.title == before.title && is_expected(&after) {
        Ok(edited)
    } else {
        Err(Problem::in_file(path, "the status is written in a way that cannot be edited safely")
            .hint("edit the file by hand"))
    }
}

fn splice(text: &str, range: Range<usize>, value: &str) -> String {
    format!("{}{value}{}", &text[..range.start], &text[range.end..])
}

/// Inserts a line after the line that contains a byte position.
fn insert_line_after(text: &str, position: usize, line: &str) -> String {
    let newline = detect_newline(text);
    match text[position..].find('\n') {
        Some(offset) => {
            let end = position + offset + 1;
            format!("{}{line}{newline}{}", &text[..end], &text[end..])
        }
        None => format!("{text}{newline}{line}"),
    }
}

/// Writes a word in the case of the first word of another text: upper, lower or capitalised.
pub(super) fn match_case(old: &str, word: &str) -> String {
    let letters: String =
        old.chars().skip_while(|c| !c.is_alphabetic()).take_while(|c| c.is_alphabetic()).collect();
    if letters.len() > 1 && letters.chars().all(char::is_uppercase) {
        word.to_uppercase()
    } else if letters.starts_with(char::is_lowercase) {
        word.to_owned()
    } else {
        let mut chars = word.chars();
        chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
    }
}

/// Replaces the first word of a text: `accepted; supersedes ADR-3` becomes `deprecated; supersedes
/// ADR-3`.
fn replace_first_word(old: &str, word: &str) -> Option<String> {
    let start = old.find(char::is_alphabetic)?;
    let len = old[start..].find(|c: char| !c.is_alphabetic()).unwrap_or(old.len() - start);
    Some(format!("{}{}{}", &old[..start], match_case(&old[start..], word), &old[start + len..]))
}

/// Replaces a lower-case word in a label; a label without the word becomes `with: `.
fn replace_word(label: &str, word: &str, with: &str) -> String {
    match label.to_ascii_lowercase().find(word) {
        Some(start) => format!("{}{with}{}", &label[..start], &label[start + word.len()..]),
        _ => format!("{with}: "),
    }
}

fn number_or_id(adr: &Adr) -> String {
    adr.number.map_or_else(|| adr.id.clone(), |number| number.to_string())
}

/// Writes a link from one record to another: relative in markdown, the bare id elsewhere.
fn link(from: &str, to: &Adr) -> String {
    if !from.ends_with(".md") {
        to.id.clone()
    } else {
        format!("[{}]({})", to.id, path::relative_link(from, &to.path).replace(' ', "%20"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adr(path: &str) -> Adr {
        read(path, "# T\n")
    }

    fn superseded(text: &str) -> String {
        mark_superseded("adrs/0003-old.md", text, &adr("adrs/0010-new.md")).unwrap()
    }

    fn supersedes(text: &str) -> String {
        mark_supersedes("adrs/0010-new.md", text, &adr("adrs/0003-old.md")).unwrap()
    }

    #[test]
    fn front_matter_is_edited_in_place() {
        assert_eq!(
            superseded("---\nstatus: accepted # yes\nsuperseded_by: null # none\n---\n# T\n"),
            "---\nstatus: superseded # yes\nsuperseded_by: ADR-0010 # none\n---\n# T\n"
        );
        assert_eq!(
            supersedes("---\nstatus: accepted\nsupersedes: [ADR-0001]\n---\n"),
            "---\nstatus: accepted\nsupersedes: [ADR-0001, ADR-0003]\n---\n"
        );
    }

    #[test]
    fn a_status_is_edited_in_its_style() {
        assert_eq!(
            superseded("# T\r\n\r\n## Status\r\n\r\nAccepted\r\n\r\n## Context\r\n"),
            "# T\r\n\r\n## Status\r\n\r\nSuperseded by [ADR-0010](0010-new.md)\r\n\r\n## Context\r\n"
        );
        assert_eq!(
            supersedes("# T\n\n## Status\n\nAccepted\n\n## Context\n"),
            "# T\n\n## Status\n\nAccepted\n\nSupersedes [ADR-0003](0003-old.md)\n\n## Context\n"
        );
        assert_eq!(
            superseded("# T\n\n* Status: accepted\n* Date: x\n"),
            "# T\n\n* Status: superseded by [ADR-0010](0010-new.md)\n* Date: x\n"
        );
        assert_eq!(
            supersedes("# T\n\n* Status: accepted\n* Date: x\n"),
            "# T\n\n* Status: accepted\n* Supersedes: [ADR-0003](0003-old.md)\n* Date: x\n"
        );
        assert_eq!(
            superseded("# T\n\n| Status | Accepted |\n"),
            "# T\n\n| Status | Superseded by [ADR-0010](0010-new.md) |\n"
        );
        let pep = mark_superseded(
            "pep-0003.rst",
            "PEP: 3\nStatus: Final\nType: Informational\n\nAbstract\n",
            &adr("pep-0010.rst"),
        )
        .unwrap();
        assert_eq!(
            pep,
            "PEP: 3\nStatus: Superseded\nSuperseded-By: 10\nType: Informational\n\nAbstract\n"
        );
    }

    #[test]
    fn a_record_without_a_status_gets_front_matter() {
        assert_eq!(
            superseded("# T\n"),
            "---\nstatus: superseded\nsuperseded_by: ADR-0010\n---\n\n# T\n"
        );
    }

    #[test]
    fn marking_is_idempotent() {
        let once = superseded("# T\n\n## Status\n\nAccepted\n");
        assert_eq!(superseded(&once), once);
        let once = supersedes("# T\n\nStatus: Accepted\n");
        assert_eq!(supersedes(&once), once);
    }

    #[test]
    fn links_in_the_status_are_kept() {
        let text = "---\nstatus: 'accepted; supersedes ADR-0001'\n---\n# T\n";
        assert_eq!(
            set_status("a.md", text, Status::Deprecated).unwrap(),
            text.replace("accepted", "deprecated")
        );
        assert_eq!(
            superseded(text),
            "---\nstatus: 'superseded; supersedes ADR-0001'\nsuperseded_by: ADR-0010\n---\n# T\n"
        );
        let text = "---\nstatus: superseded by ADR-0007\n---\n# T\n";
        assert_eq!(
            superseded(text),
            "---\nstatus: superseded by ADR-0007\nsuperseded_by: ADR-0010\n---\n# T\n"
        );
        assert_eq!(
            superseded("# T\n\nStatus: Accepted, supersedes ADR-0001\n"),
            "# T\n\nStatus: Superseded by [ADR-0010](0010-new.md), supersedes ADR-0001\n"
        );
        assert_eq!(
            superseded("# T\n\nStatus: Superseded by ADR-0007\n"),
            "# T\n\nStatus: Superseded by ADR-0007 and [ADR-0010](0010-new.md)\n"
        );
    }

    #[test]
    fn text_around_the_status_word_is_kept() {
        for (before, after) in [
            (
                "## Status\n\nAccepted 2020-01-02 by the board\n",
                "## Status\n\nDeprecated 2020-01-02 by the board\n",
            ),
            ("## Status\n\n> Accepted\n", "## Status\n\n> Deprecated\n"),
            (
                "| Status | **Accepted** (2021-01-01) |\n",
                "| Status | **Deprecated** (2021-01-01) |\n",
            ),
            (
                "## Status\n\n- [ ] Proposed\n- [x] Accepted\n",
                "## Status\n\n- [ ] Proposed\n- [x] Deprecated\n",
            ),
        ] {
            assert_eq!(
                set_status("a.md", &format!("# T\n\n{before}"), Status::Deprecated).unwrap(),
                format!("# T\n\n{after}")
            );
        }
        assert_eq!(
            superseded("# T\n\n## Status\n\n> Accepted (2021)\n"),
            "# T\n\n## Status\n\n> Superseded by [ADR-0010](0010-new.md) (2021)\n"
        );
    }

    #[test]
    fn a_record_in_another_folder_is_linked_by_its_path() {
        let text = "---\nstatus: accepted\n---\n# T\n";
        let edited = mark_superseded(
            ".heirloom/adrs/ADR-0001-a.md",
            text,
            &adr(".heirloom/projects/p/adrs/ADR-0002-b.md"),
        )
        .unwrap();
        assert!(edited.contains("superseded_by: ../projects/p/adrs/ADR-0002-b.md"), "{edited}");
    }

    #[test]
    fn grid_tables_and_missing_statuses_in_rst_are_refused() {
        let grid =
            "T\n===\n\n+--------+----------+\n| Status | Accepted |\n+--------+----------+\n";
        assert!(mark_superseded("0003-old.rst", grid, &adr("0010-new.rst")).is_err());
        assert!(mark_superseded("0003-old.rst", "T\n===\n\ntext\n", &adr("0010-new.rst")).is_err());
    }

    #[test]
    fn letters_whose_lower_case_has_another_length_do_not_shift_ranges() {
        let text = "# T\n\n## Status\n\nİİ superseded by é\u{212a} ADR-0010\n";
        assert_eq!(superseded(text), superseded(&superseded(text)));
    }

    #[test]
    fn an_underline_after_a_status_is_not_its_value() {
        assert!(
            set_status("a.md", "Status:\n=\n", Status::Accepted).unwrap().ends_with("Status:\n=\n")
        );
    }

    #[test]
    fn the_case_of_the_status_word_is_kept() {
        assert_eq!(
            set_status("a.md", "# T\n## Status\nPROPOSED\n", Status::Accepted).unwrap(),
            "# T\n## Status\nACCEPTED\n"
        );
    }
}
