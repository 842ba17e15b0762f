//! Edits of a record's status and links in the style in which it is written.

use serde_json::json;

use super::site::{Site, Style, find};
use super::{Adr, Status, Target, names, read, text};
use crate::{Document, Problem, frontmatter};

/// Sets a record's status. Where its words name another record as well, only the first of them is replaced.
pub fn set_status(path: &str, text: &str, status: Status) -> Result<String, Problem> {
    let own = read(path, text);
    let in_body = site(path, text).filter(|site| site.style != Style::FrontMatter);
    let (old, word) = match &in_body {
        Some(site) => (text[site.bytes.clone()].to_owned(), cased_like(&text[site.bytes.clone()], status.word())),
        None => (Document::parse(path, text).field("status").unwrap_or_default().to_owned(), status.word().to_owned()),
    };
    let put = |value: &str| {
        let edited = match &in_body {
            Some(site) => splice(text, site, value),
            None => frontmatter::set(path, text, "status", &json!(value))?,
        };
        verified(path, &own, edited, |adr| adr.status == status && keeps(&own.supersedes, &adr.supersedes))
    };
    put(&word).or_else(|problem| replace_first_word(&old, &word).map_or(Err(problem), |value| put(&value)))
}

/// Marks a record as superseded by another.
pub fn mark_superseded(path: &str, text: &str, by: &Adr) -> Result<String, Problem> {
    let own = read(path, text);
    if own.superseded_by.iter().any(|target| names(target, by)) && own.status == Status::Superseded {
        return Ok(text.to_owned());
    }
    let edited = match site(path, text) {
        Some(site) if site.style == Style::Header => {
            let with_status = splice(text, &site, &cased_like(&text[site.bytes.clone()], "superseded"));
            insert_line_after(&with_status, site.bytes.start, &format!("Superseded-By: {}", number_of(by)))
        }
        Some(site) if site.style != Style::FrontMatter => {
            let mut value = format!("{} {}", cased_like(&text[site.bytes.clone()], "superseded by"), link(path, by));
            for other in &own.superseded_by {
                value.push_str(&format!(" and {}", relink(other)));
            }
            splice(text, &site, &value)
        }
        _ => in_front_matter(path, text, &own, by)?,
    };
    verified(path, &own, edited, |adr| {
        adr.status == Status::Superseded
            && adr.superseded_by.iter().any(|target| names(target, by))
            && keeps(&own.superseded_by, &adr.superseded_by)
            && keeps(&own.supersedes, &adr.supersedes)
    })
}

/// Notes in a record that it supersedes another.
pub fn mark_supersedes(path: &str, text: &str, old: &Adr) -> Result<String, Problem> {
    let own = read(path, text);
    if own.supersedes.iter().any(|target| names(target, old)) {
        return Ok(text.to_owned());
    }
    let site = site(path, text);
    let edited = match &site {
        Some(site) if site.style == Style::Header => insert_line_after(text, site.bytes.start, &format!("Replaces: {}", number_of(old))),
        Some(site) if matches!(site.style, Style::Section | Style::Heading) => {
            let newline = newline_of(text);
            insert_line_after(text, site.bytes.end, &format!("{newline}Supersedes {}", link(path, old)))
        }
        Some(site) if site.style == Style::Line => {
            let line_start = text[..site.bytes.start].rfind('\n').map_or(0, |at| at + 1);
            let lead = &text[line_start..site.bytes.start];
            let lead = replace_word(lead, "status", "Supersedes");
            insert_line_after(text, site.bytes.start, &format!("{lead}{}", link(path, old)))
        }
        Some(site) if site.style == Style::Cell => insert_line_after(text, site.bytes.start, &format!("| Supersedes | {} |", link(path, old))),
        Some(site) if site.style == Style::ListTable => {
            let line_start = text[..site.bytes.start].rfind('\n').map_or(0, |at| at + 1);
            let indent: String = text[line_start..].chars().take_while(|c| *c == ' ').collect();
            let outer = &indent[..indent.len().saturating_sub(2)];
            insert_line_after(text, site.bytes.start, &format!("{outer}* - Replaces{}{indent}- {}", newline_of(text), old.id))
        }
        _ => frontmatter::append_to_list(path, text, "supersedes", &old.id)?,
    };
    verified(path, &own, edited, |adr| {
        adr.status == own.status
            && adr.supersedes.iter().any(|target| names(target, old))
            && keeps(&own.superseded_by, &adr.superseded_by)
            && keeps(&own.supersedes, &adr.supersedes)
    })
}

/// Marks a record as superseded in its front matter. What only its old status named goes to the keys for it.
fn in_front_matter(path: &str, text: &str, own: &Adr, by: &Adr) -> Result<String, Problem> {
    let mut edited = frontmatter::set(path, text, "status", &json!("superseded"))?;
    let left = read(path, &edited);
    for target in lost(&own.supersedes, &left.supersedes) {
        edited = frontmatter::append_to_list(path, &edited, "supersedes", &target.written)?;
    }
    for target in lost(&own.superseded_by, &left.superseded_by) {
        edited = frontmatter::append_to_list(path, &edited, "superseded_by", &target.written)?;
    }
    match own.superseded_by.is_empty() {
        true => frontmatter::set(path, &edited, "superseded_by", &json!(by.id)),
        false => frontmatter::append_to_list(path, &edited, "superseded_by", &by.id),
    }
}

fn lost<'t>(before: &'t [Target], after: &'t [Target]) -> impl Iterator<Item = &'t Target> {
    let same = |old: &Target, new: &Target| (old.number.is_some() && old.number == new.number) || old.written == new.written;
    before.iter().filter(move |old| !after.iter().any(|new| same(old, new)))
}

fn keeps(before: &[Target], after: &[Target]) -> bool {
    lost(before, after).next().is_none()
}

fn site(path: &str, text: &str) -> Option<Site> {
    let document = if path.ends_with(".rst") { Document::plain(path, text) } else { Document::parse(path, text) };
    find(&document, text, &text::shown(text))
}

/// An edit that does not read back as what was meant is refused.
fn verified(path: &str, own: &Adr, edited: String, holds: impl FnOnce(&Adr) -> bool) -> Result<String, Problem> {
    let adr = read(path, &edited);
    if adr.title == own.title && holds(&adr) {
        Ok(edited)
    } else {
        Err(Problem::of_file(path, "its status is written in a way that cannot be edited safely").hint("edit the file by hand"))
    }
}

fn splice(text: &str, site: &Site, value: &str) -> String {
    format!("{}{value}{}", &text[..site.bytes.start], &text[site.bytes.end..])
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

fn newline_of(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// `ACCEPTED` becomes `SUPERSEDED`, `accepted` stays small, anything else is capitalised.
fn cased_like(old: &str, word: &str) -> String {
    let letters: String = old.chars().skip_while(|c| !c.is_alphabetic()).take_while(|c| c.is_alphabetic()).collect();
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
    let len = old[start..].find(|c: char| !c.is_alphabetic())?;
    Some(format!("{}{word}{}", &old[..start], &old[start + len..]))
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
    if !from.ends_with(".md") { to.id.clone() } else { format!("[{}]({})", to.id, relative(from, &to.path)) }
}

fn relink(target: &Target) -> String {
    match &target.href {
        Some(href) => format!("[{}]({href})", target.written),
        None => target.written.clone(),
    }
}

fn relative(from: &str, to: &str) -> String {
    let from: Vec<&str> = from.split('/').collect();
    let to: Vec<&str> = to.split('/').collect();
    let common = from[..from.len() - 1].iter().zip(&to[..to.len() - 1]).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..", from.len() - 1 - common);
    up.chain(to[common..].iter().copied()).collect::<Vec<_>>().join("/").replace(' ', "%20")
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
        assert_eq!(supersedes("---\nstatus: accepted\nsupersedes: [ADR-0001]\n---\n"), "---\nstatus: accepted\nsupersedes: [ADR-0001, ADR-0003]\n---\n");
    }

    #[test]
    fn a_section_a_line_a_cell_and_a_header() {
        assert_eq!(superseded("# T\r\n\r\n## Status\r\n\r\nAccepted\r\n\r\n## Context\r\n"), "# T\r\n\r\n## Status\r\n\r\nSuperseded by [ADR-0010](0010-new.md)\r\n\r\n## Context\r\n");
        assert_eq!(supersedes("# T\n\n## Status\n\nAccepted\n\n## Context\n"), "# T\n\n## Status\n\nAccepted\n\nSupersedes [ADR-0003](0003-old.md)\n\n## Context\n");
        assert_eq!(superseded("# T\n\n* Status: accepted\n* Date: x\n"), "# T\n\n* Status: superseded by [ADR-0010](0010-new.md)\n* Date: x\n");
        assert_eq!(supersedes("# T\n\n* Status: accepted\n* Date: x\n"), "# T\n\n* Status: accepted\n* Supersedes: [ADR-0003](0003-old.md)\n* Date: x\n");
        assert_eq!(superseded("# T\n\n| Status | Accepted |\n"), "# T\n\n| Status | Superseded by [ADR-0010](0010-new.md) |\n");
        let pep = mark_superseded("pep-0003.rst", "PEP: 3\nStatus: Final\nType: Informational\n\nAbstract\n", &adr("pep-0010.rst")).unwrap();
        assert_eq!(pep, "PEP: 3\nStatus: Superseded\nSuperseded-By: 10\nType: Informational\n\nAbstract\n");
    }

    #[test]
    fn a_record_without_a_status_gets_front_matter() {
        assert_eq!(superseded("# T\n"), "---\nstatus: superseded\nsuperseded_by: ADR-0010\n---\n\n# T\n");
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
        assert_eq!(set_status("a.md", text, Status::Deprecated).unwrap(), text.replace("accepted", "deprecated"));
        assert_eq!(superseded(text), "---\nstatus: 'superseded'\nsupersedes: [ADR-0001]\nsuperseded_by: ADR-0010\n---\n# T\n");
        let text = "---\nstatus: superseded by ADR-0007\n---\n# T\n";
        assert_eq!(superseded(text), "---\nstatus: superseded\nsuperseded_by: [ADR-0007, ADR-0010]\n---\n# T\n");
        let text = "# T\n\nStatus: Accepted, supersedes ADR-0001\n";
        assert!(mark_superseded("0003-old.md", text, &adr("0010-new.md")).is_err());
    }

    #[test]
    fn letters_that_change_their_length_in_lower_case() {
        let text = "# T\n\n## Status\n\nİİ superseded by é\u{212a} ADR-0010\n";
        assert_eq!(superseded(text), superseded(&superseded(text)));
    }

    #[test]
    fn an_underline_after_a_status_is_not_its_value() {
        assert!(set_status("a.md", "Status:\n=\n", Status::Accepted).unwrap().ends_with("Status:\n=\n"));
    }

    #[test]
    fn a_status_alone() {
        assert_eq!(set_status("a.md", "# T\n## Status\nPROPOSED\n", Status::Accepted).unwrap(), "# T\n## Status\nACCEPTED\n");
    }
}
