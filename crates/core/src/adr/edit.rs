//! Edits of a record's status and links in the style in which it is written.

use std::ops::Range;

use serde_json::json;

use super::site::{Site, Style, find};
use super::{Adr, Status, Target, document_of, names, read, text};
use crate::lines::newline_of;
use crate::{Document, Problem, frontmatter, path};

/// Sets a record's status. Only the word for it is replaced: a date or a link beside it stays.
pub fn set_status(path: &str, text: &str, status: Status) -> Result<String, Problem> {
    let own = read(path, text);
    let edited = match site(path, text) {
        Some(site) if site.style != Style::FrontMatter => {
            let word = own.word_to_replace(text, &site);
            splice(text, word.clone(), &cased_like(&text[word], status.word()))
        }
        _ => {
            let old = Document::parse(path, text).field("status").unwrap_or_default().to_owned();
            in_front_matter(path, text, "status", &own.reworded(&old, status.word()))?
        }
    };
    verified(path, &own, edited, |adr| {
        adr.status == status && keeps(&own.supersedes, &adr.supersedes)
    })
}

/// Marks a record as superseded by another.
pub fn mark_superseded(path: &str, text: &str, by: &Adr) -> Result<String, Problem> {
    let own = read(path, text);
    if own.superseded_by.iter().any(|target| leads_to(path, target, by))
        && own.status == Status::Superseded
    {
        return Ok(text.to_owned());
    }
    let edited = match site(path, text) {
        Some(site) if site.style == Style::Header => {
            let word = own.word_to_replace(text, &site);
            let with_status = splice(text, word.clone(), &cased_like(&text[word], "superseded"));
            insert_line_after(
                &with_status,
                site.bytes.start,
                &format!("Superseded-By: {}", number_of(by)),
            )
        }
        Some(site) if site.style == Style::Cell && !is_markdown(path) => {
            return Err(in_a_grid(path, site.line));
        }
        Some(site) if site.style != Style::FrontMatter && own.status == Status::Superseded => {
            splice(text, site.bytes.end..site.bytes.end, &format!(" and {}", link(path, by)))
        }
        Some(site) if site.style != Style::FrontMatter => {
            let word = own.word_to_replace(text, &site);
            let new =
                format!("{} {}", cased_like(&text[word.clone()], "superseded by"), link(path, by));
            splice(text, word, &new)
        }
        _ => superseded_in_front_matter(path, text, &own, by)?,
    };
    verified(path, &own, edited, |adr| {
        adr.status == Status::Superseded
            && adr.superseded_by.iter().any(|target| leads_to(path, target, by))
            && keeps(&own.superseded_by, &adr.superseded_by)
            && keeps(&own.supersedes, &adr.supersedes)
    })
}

/// Notes in a record that it supersedes another.
pub fn mark_supersedes(path: &str, text: &str, old: &Adr) -> Result<String, Problem> {
    let own = read(path, text);
    if own.supersedes.iter().any(|target| leads_to(path, target, old)) {
        return Ok(text.to_owned());
    }
    let line_start = |at: usize| text[..at].rfind('\n').map_or(0, |at| at + 1);
    let edited = match &site(path, text) {
        Some(site) if site.style == Style::Header => {
            insert_line_after(text, site.bytes.start, &format!("Replaces: {}", number_of(old)))
        }
        Some(site) if matches!(site.style, Style::Section | Style::Heading) => insert_line_after(
            text,
            site.bytes.end,
            &format!("{}Supersedes {}", newline_of(text), link(path, old)),
        ),
        Some(site) if site.style == Style::Line => {
            let lead = replace_word(
                &text[line_start(site.bytes.start)..site.bytes.start],
                "status",
                "Supersedes",
            );
            insert_line_after(text, site.bytes.start, &format!("{lead}{}", link(path, old)))
        }
        Some(site) if site.style == Style::Cell && !is_markdown(path) => {
            return Err(in_a_grid(path, site.line));
        }
        Some(site) if site.style == Style::Cell => insert_line_after(
            text,
            site.bytes.start,
            &format!("| Supersedes | {} |", link(path, old)),
        ),
        Some(site) if site.style == Style::ListTable => {
            let indent: String =
                text[line_start(site.bytes.start)..].chars().take_while(|c| *c == ' ').collect();
            let outer = &indent[..indent.len().saturating_sub(2)];
            insert_line_after(
                text,
                site.bytes.start,
                &format!("{outer}* - Replaces{}{indent}- {}", newline_of(text), old.id),
            )
        }
        _ if !is_markdown(path) => return Err(no_front_matter(path)),
        _ => frontmatter::append_to_list(path, text, "supersedes", &name_for(path, old))?,
    };
    verified(path, &own, edited, |adr| {
        adr.status == own.status
            && adr.supersedes.iter().any(|target| leads_to(path, target, old))
            && keeps(&own.superseded_by, &adr.superseded_by)
            && keeps(&own.supersedes, &adr.supersedes)
    })
}

fn superseded_in_front_matter(
    path: &str,
    text: &str,
    own: &Adr,
    by: &Adr,
) -> Result<String, Problem> {
    let document = Document::parse(path, text);
    let mut edited = text.to_owned();
    if own.status != Status::Superseded {
        let old = document.field("status").unwrap_or_default();
        edited = in_front_matter(path, text, "status", &own.reworded(old, "superseded"))?;
    }
    match document.field_list("superseded_by").is_empty() {
        true => in_front_matter(path, &edited, "superseded_by", &name_for(path, by)),
        false => frontmatter::append_to_list(path, &edited, "superseded_by", &name_for(path, by)),
    }
}

fn in_front_matter(path: &str, text: &str, key: &str, value: &str) -> Result<String, Problem> {
    if is_markdown(path) {
        frontmatter::set(path, text, key, &json!(value))
    } else {
        Err(no_front_matter(path))
    }
}

fn is_markdown(path: &str) -> bool {
    !path.to_lowercase().ends_with(".rst")
}

fn no_front_matter(path: &str) -> Problem {
    Problem::of_file(
        path,
        "it says nowhere what its status is, and reStructuredText has no front matter",
    )
    .hint("add a `Status` section by hand")
}

fn in_a_grid(path: &str, line: usize) -> Problem {
    Problem::at(path, line, "its status is in a table whose borders must line up")
        .hint("edit the table by hand")
}

impl Adr {
    /// The bytes of the status word. Words that mean nothing to us are replaced whole.
    fn word_to_replace(&self, text: &str, site: &Site) -> Range<usize> {
        match self.status {
            Status::Unknown => site.bytes.clone(),
            _ => site.word(&text::shown(text)),
        }
    }

    /// A status of the front matter with its first word replaced; one that means nothing, whole.
    fn reworded(&self, old: &str, word: &str) -> String {
        let known = Some(old).filter(|_| self.status != Status::Unknown);
        known.and_then(|old| replace_first_word(old, word)).unwrap_or_else(|| word.to_owned())
    }
}

/// Whether a target written in one record leads to another: by its file, or by its name in the
/// same folder.
fn leads_to(from: &str, target: &Target, adr: &Adr) -> bool {
    match target.href.as_deref().and_then(|href| path::joined(from, href)) {
        Some(linked) => linked == adr.path,
        None => names(target, adr) && path::folder(from) == path::folder(&adr.path),
    }
}

/// What a record is called in another one's front matter: its id where both lie in one folder, and
/// the way to its file where the same id may mean another.
fn name_for(from: &str, adr: &Adr) -> String {
    if path::folder(from) == path::folder(&adr.path) {
        adr.id.clone()
    } else {
        path::relative(from, &adr.path)
    }
}

fn lost<'t>(before: &'t [Target], after: &'t [Target]) -> impl Iterator<Item = &'t Target> {
    let same = |old: &Target, new: &Target| {
        (old.number.is_some() && old.number == new.number) || old.written == new.written
    };
    before.iter().filter(move |old| !after.iter().any(|new| same(old, new)))
}

fn keeps(before: &[Target], after: &[Target]) -> bool {
    lost(before, after).next().is_none()
}

fn site(path: &str, text: &str) -> Option<Site> {
    let document = document_of(path, text);
    find(&document, text, &text::shown(text))
}

/// An edit that does not read back as what was meant is refused.
fn verified(
    path: &str,
    own: &Adr,
    edited: String,
    holds: impl FnOnce(&Adr) -> bool,
) -> Result<String, Problem> {
    let adr = read(path, &edited);
    if adr.title == own.title && holds(&adr) {
        Ok(edited)
    } else {
        Err(Problem::of_file(path, "its status is written in a way that cannot be edited safely")
            .hint("edit the file by hand"))
    }
}

fn splice(text: &str, range: Range<usize>, value: &str) -> String {
    format!("{}{value}{}", &text[..range.start], &text[range.end..])
}

fn insert_line_after(text: &str, at: usize, line: &str) -> String {
    let newline = newline_of(text);
    match text[at..].find('\n') {
        Some(offset) => {
            let end = at + offset + 1;
            format!("{}{line}{newline}{}", &text[..end], &text[end..])
        }
        None => format!("{text}{newline}{line}"),
    }
}

/// `ACCEPTED` becomes `SUPERSEDED`, `accepted` stays small, anything else is capitalised.
pub(super) fn cased_like(old: &str, word: &str) -> String {
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

/// `accepted; supersedes ADR-3` with `deprecated` becomes `deprecated; supersedes ADR-3`.
fn replace_first_word(old: &str, word: &str) -> Option<String> {
    let start = old.find(char::is_alphabetic)?;
    let len = old[start..].find(|c: char| !c.is_alphabetic()).unwrap_or(old.len() - start);
    Some(format!("{}{}{}", &old[..start], cased_like(&old[start..], word), &old[start + len..]))
}

fn replace_word(lead: &str, word: &str, with: &str) -> String {
    match lead.to_ascii_lowercase().find(word) {
        Some(at) => format!("{}{with}{}", &lead[..at], &lead[at + word.len()..]),
        _ => format!("{with}: "),
    }
}

fn number_of(adr: &Adr) -> String {
    adr.number.map_or_else(|| adr.id.clone(), |number| number.to_string())
}

/// A link from one record to another: relative in markdown, the bare id elsewhere.
fn link(from: &str, to: &Adr) -> String {
    if !from.ends_with(".md") {
        to.id.clone()
    } else {
        format!("[{}]({})", to.id, path::relative(from, &to.path).replace(' ', "%20"))
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
    fn front_matter() {
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
    fn a_section_a_line_a_cell_and_a_header() {
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
    fn doing_it_twice_changes_nothing() {
        let once = superseded("# T\n\n## Status\n\nAccepted\n");
        assert_eq!(superseded(&once), once);
        let once = supersedes("# T\n\nStatus: Accepted\n");
        assert_eq!(supersedes(&once), once);
    }

    #[test]
    fn what_only_the_status_names_is_not_lost() {
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
    fn what_stands_around_the_status_stays() {
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
    fn a_record_of_another_folder_is_named_by_its_file() {
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
    fn a_grid_is_left_alone() {
        let grid =
            "T\n===\n\n+--------+----------+\n| Status | Accepted |\n+--------+----------+\n";
        assert!(mark_superseded("0003-old.rst", grid, &adr("0010-new.rst")).is_err());
        assert!(mark_superseded("0003-old.rst", "T\n===\n\ntext\n", &adr("0010-new.rst")).is_err());
    }

    #[test]
    fn letters_that_change_their_length_in_lower_case() {
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
    fn a_status_alone() {
        assert_eq!(
            set_status("a.md", "# T\n## Status\nPROPOSED\n", Status::Accepted).unwrap(),
            "# T\n## Status\nACCEPTED\n"
        );
    }
}
