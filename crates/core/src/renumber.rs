//! Changing the number of a decision record or a plan wherever a text names it, and nothing else.

mod sites;

use std::ops::Range;

use crate::path::percent_decoded;
use sites::Sites;

/// A longer run of digits is no number of a record or a plan.
const NUMBER_MAX_DIGITS: usize = 6;

/// The name of a record's file or of a plan's folder, split at its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// What stands before the number: `ADR-`, or nothing.
    lead: String,
    /// The number as it is written: `0001`.
    digits: String,
    /// What stands after it: `-use-sqlite`.
    rest: String,
    /// What people write before the number in a text: `ADR`, `plan`.
    prefix: String,
    /// Whether it is a plan's.
    is_plan: bool,
}

/// A place where a text may name what is renumbered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence<'t> {
    /// How it is named there.
    pub form: Form,
    /// What is written: a path or a name for [`Form::Name`], otherwise `ADR-0001`, `plan 7` or `7`.
    pub written: &'t str,
    /// Where the link leads that it is the label of.
    pub link: Option<&'t str>,
}

/// The ways in which a text names a record or a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// By the whole name of its file or folder.
    Name,
    /// By its number.
    Number,
}

/// What an occurrence means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// What is renumbered.
    This,
    /// Something else.
    Other,
    /// One of several, and only a person can say which.
    Unclear,
}

/// A text with another number in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewritten {
    /// The text.
    pub text: String,
    /// How many numbers were replaced.
    pub replaced: usize,
    /// What was left alone because it could mean something else as well.
    pub unclear: Vec<Unclear>,
}

/// A place that a person has to decide on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unclear {
    /// Its line, from 1.
    pub line: usize,
    /// What is written there.
    pub written: String,
}

impl Name {
    /// Splits the name of a record's file, without its ending.
    pub fn of_record(stem: &str) -> Option<Self> {
        let after_letters = stem.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let letters = &stem[..stem.len() - after_letters.len()];
        let numbered = after_letters.trim_start_matches(['-', '_', ' ']);
        let prefix = if letters.is_empty() { "ADR".to_owned() } else { letters.to_uppercase() };
        Self::split(stem, numbered, prefix, false)
    }

    /// Splits the name of a plan's folder.
    pub fn of_plan(folder: &str) -> Option<Self> {
        Self::split(folder, folder, "plan".to_owned(), true)
    }

    fn split(whole: &str, numbered: &str, prefix: String, is_plan: bool) -> Option<Self> {
        let rest = numbered.trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = &numbered[..numbered.len() - rest.len()];
        let is_number = (1..=NUMBER_MAX_DIGITS).contains(&digits.len())
            && !rest.starts_with(char::is_alphanumeric);
        is_number.then(|| Name {
            lead: whole[..whole.len() - numbered.len()].to_owned(),
            digits: digits.to_owned(),
            rest: rest.to_owned(),
            prefix,
            is_plan,
        })
    }

    /// Returns the number.
    pub fn number(&self) -> u32 {
        // At most six digits, so it is a number.
        self.digits.parse().unwrap_or_default()
    }

    /// Returns the same name with another number, written as wide as this one.
    #[must_use]
    pub fn renumbered(&self, number: u32) -> String {
        format!("{}{}{}", self.lead, as_wide(&self.digits, number), self.rest)
    }

    /// Returns another number, written as wide as this one.
    pub fn digits_of(&self, number: u32) -> String {
        as_wide(&self.digits, number)
    }

    /// Returns the number as it is written.
    pub fn digits(&self) -> &str {
        &self.digits
    }
}

fn as_wide(digits: &str, number: u32) -> String {
    format!("{number:0width$}", width = digits.len())
}

/// Whose text it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// That of what is renumbered: its heading, its title and its id state its number.
    This,
    /// That of another one with the same number, which its heading states as well.
    Twin,
    /// That of another document.
    Other,
}

/// Puts another number into a text wherever `meaning` says that a place means what is renumbered.
pub fn rewrite(
    text: &str,
    name: &Name,
    number: u32,
    owner: Owner,
    meaning: &dyn Fn(&Occurrence<'_>) -> Meaning,
) -> Rewritten {
    let mut rewritten =
        Rewritten { text: String::with_capacity(text.len()), replaced: 0, unclear: vec![] };
    if !text.contains(name.digits.trim_start_matches('0')) {
        rewritten.text.push_str(text);
        return rewritten;
    }
    let sites = Sites::of(text, name, owner != Owner::Other);
    let stated = if owner == Owner::This { Meaning::This } else { Meaning::Other };
    let mut copied = 0;
    let (mut line, mut counted) = (1, 0);
    for run in digit_runs(text).filter(|run| text[run.clone()].parse::<u32>() == Ok(name.number()))
    {
        let found = if sites.is_own_number(text, name, &run) {
            Some((stated, ""))
        } else {
            occurrence(text, name, &sites, &run).map(|found| (meaning(&found), found.written))
        };
        match found {
            None | Some((Meaning::Other, _)) => {}
            Some((Meaning::This, _)) => {
                rewritten.text.push_str(&text[copied..run.start]);
                rewritten.text.push_str(&as_wide(&text[run.clone()], number));
                copied = run.end;
                rewritten.replaced += 1;
            }
            Some((Meaning::Unclear, written)) => {
                line += text[counted..run.start].matches('\n').count();
                counted = run.start;
                rewritten.unclear.push(Unclear { line, written: written.to_owned() });
            }
        }
    }
    rewritten.text.push_str(&text[copied..]);
    if owner == Owner::This {
        sites::mend_underline(&mut rewritten.text);
    }
    rewritten
}

/// Returns the runs of digits that are short enough for a number.
fn digit_runs(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + bytes[at..].iter().position(u8::is_ascii_digit)?;
        let len = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        at = start + len;
        Some(start..at)
    })
    .filter(|run| run.len() <= NUMBER_MAX_DIGITS)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_')
}

/// What ends a path in a text: markup, quotes and white space.
fn ends_path(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '(' | ')'
                | '<'
                | '>'
                | '['
                | ']'
                | '{'
                | '}'
                | '"'
                | '\''
                | '`'
                | '|'
                | ','
                | ';'
                | ':'
                | '='
        )
}

fn occurrence<'t>(
    text: &'t str,
    name: &Name,
    sites: &'t Sites,
    run: &Range<usize>,
) -> Option<Occurrence<'t>> {
    let link = sites.link_around(run.start);
    let destination = link.map(|link| link.destination.as_str());
    let whole =
        |range: Range<usize>, form| Occurrence { form, written: &text[range], link: destination };
    if let Some(path) = whole_name(text, name, run) {
        return Some(Occurrence { form: Form::Name, written: &text[path], link: None });
    }
    if let Some(range) = prefixed_number(text, name, run) {
        return Some(whole(range, Form::Number));
    }
    let is_label = link.is_some_and(|link| link.starts_with_number(text, run));
    (is_label || sites.is_number_field(text, run)).then(|| whole(run.clone(), Form::Number))
}

/// Returns the path or name around a number that stands in the whole name of the file or folder.
fn whole_name(text: &str, name: &Name, run: &Range<usize>) -> Option<Range<usize>> {
    let start = run.start.checked_sub(name.lead.len())?;
    let has_lead = text.get(start..run.start)?.eq_ignore_ascii_case(&name.lead);
    let starts_word = !text[..start].ends_with(is_word);
    if text[run.clone()] != name.digits || !has_lead || !starts_word {
        return None;
    }
    let after = &text[run.end..];
    let after = &after[..after.find(ends_path).unwrap_or(after.len())];
    if !has_rest(after, name)
        && !has_rest(&percent_decoded(after), name)
        && !has_spaced_rest(text, name, run)
    {
        return None;
    }
    let before = text[..start]
        .rfind(ends_path)
        .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    Some(before..run.end + after.len())
}

/// Returns whether a text begins with the rest of the name and ends there as a word.
fn has_rest(after: &str, name: &Name) -> bool {
    let Some(beyond) = after
        .get(..name.rest.len())
        .filter(|start| start.eq_ignore_ascii_case(&name.rest))
        .map(|_| &after[name.rest.len()..])
    else {
        return false;
    };
    let beyond = match name.is_plan {
        // The plan's own document is called after its folder.
        true => beyond.strip_prefix("-plan").unwrap_or(beyond),
        false => beyond,
    };
    !beyond.starts_with(is_word)
}

/// A name with white space in it, which is written as it is in a wiki link or a list.
fn has_spaced_rest(text: &str, name: &Name, run: &Range<usize>) -> bool {
    name.rest.contains(char::is_whitespace) && has_rest(&text[run.end..], name)
}

/// Returns the range of `ADR-0001`, or of `plan 7`.
fn prefixed_number(text: &str, name: &Name, run: &Range<usize>) -> Option<Range<usize>> {
    let before = &text[..run.start];
    let before = before.strip_suffix(['-', ' ', '_', '#']).unwrap_or(before);
    let start = before.len().checked_sub(name.prefix.len())?;
    let written = before.get(start..)?;
    let has_prefix = match name.is_plan {
        true => written.eq_ignore_ascii_case(&name.prefix),
        false => written == name.prefix,
    };
    let starts_word = !text[..start].ends_with(|c: char| is_word(c) || c == '/');
    let after = &text[run.end..];
    if !has_prefix || !starts_word || after.starts_with(char::is_alphanumeric) {
        return None;
    }
    let word = &after[..after.find(|c: char| !is_word(c)).unwrap_or(after.len())];
    let word = word.trim_end_matches(['-', '_']);
    // `plan 0007-other` is another plan; `ADR-0001-based` may be a word of a sentence.
    (!name.is_plan || word.is_empty()).then(|| start..run.end + word.len())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn record(text: &str, owner: Owner) -> Rewritten {
        let name = Name::of_record("ADR-0001-z").unwrap();
        rewrite(text, &name, 12, owner, &|found| match (found.form, found.link) {
            (Form::Name, _) => Meaning::This,
            (Form::Number, Some(link)) if link.contains("0001-z") => Meaning::This,
            (Form::Number, Some(_)) => Meaning::Other,
            (Form::Number, None) => Meaning::Unclear,
        })
    }

    #[test]
    fn names_are_split_at_their_number() {
        let name = Name::of_record("ADR-0001-use-sqlite").unwrap();
        assert_eq!((name.number(), name.renumbered(12)), (1, "ADR-0012-use-sqlite".to_owned()));
        assert_eq!(Name::of_record("adr_7").unwrap().renumbered(12), "adr_12");
        assert_eq!(Name::of_plan("0007-y").unwrap().renumbered(8), "0008-y");
        assert_eq!(Name::of_record("glossary"), None);
        assert_eq!(Name::of_plan("20260101-y"), None);
    }

    #[test]
    fn whole_names_are_rewritten_in_every_form() {
        let text = "---\nsupersedes: [ADR-0001-z.md]\n---\n[x](../adrs/ADR-0001-z.md#s) [[ADR-0001-z|it]] `ADR-0001-z`\nADR-0001-zebra ADR-0001-a.md ADR-00011-z XADR-0001-z ADR-1-z\n[r]: <ADR-0001-z.md>\n";
        let done = record(text, Owner::Other);
        assert_eq!(
            done.text,
            "---\nsupersedes: [ADR-0012-z.md]\n---\n[x](../adrs/ADR-0012-z.md#s) [[ADR-0012-z|it]] `ADR-0012-z`\nADR-0001-zebra ADR-0001-a.md ADR-00011-z XADR-0001-z ADR-1-z\n[r]: <ADR-0012-z.md>\n"
        );
        assert_eq!(done.replaced, 5);
        let lines: Vec<_> = done.unclear.iter().map(|left| left.written.as_str()).collect();
        assert_eq!(lines, ["ADR-0001-zebra", "ADR-0001-a", "ADR-1-z"]);
    }

    #[test]
    fn numbers_alone_are_asked_about_with_their_line() {
        let done = record(
            "---\nsupersedes: 1\ndepends_on: 1\n---\nADR-0001, ADR 1\n1 and v1 and ADR-10\n",
            Owner::Other,
        );
        assert_eq!(done.replaced, 0);
        let left: Vec<_> =
            done.unclear.iter().map(|left| (left.line, left.written.as_str())).collect();
        assert_eq!(left, [(2, "1"), (5, "ADR-0001"), (5, "ADR 1")]);
    }

    #[test]
    fn the_label_of_a_link_goes_with_the_link() {
        let done = record(
            "[ADR-0001](ADR-0001-z.md) [1. Use Z](ADR-0001-z.md) [ADR-0001](ADR-0001-a.md)\n",
            Owner::Other,
        );
        assert_eq!(
            done.text,
            "[ADR-0012](ADR-0012-z.md) [12. Use Z](ADR-0012-z.md) [ADR-0001](ADR-0001-a.md)\n"
        );
        assert_eq!(done.unclear, []);
    }

    #[test]
    fn a_record_states_its_own_number() {
        for (own, renumbered) in [
            ("# ADR-0001: Use Z\n\nADR-0001\n", "# ADR-0012: Use Z\n\nADR-0001\n"),
            ("# 1. Use Z\n", "# 12. Use Z\n"),
            (
                "---\nid: ADR-0001\ntitle: 'ADR 1: Use Z'\n---\n# Use 1 Z\n",
                "---\nid: ADR-0012\ntitle: 'ADR 12: Use Z'\n---\n# Use 1 Z\n",
            ),
            (
                "ADR-0001: Use Z\n===============\n\nText.\n",
                "ADR-0012: Use Z\n===============\n\nText.\n",
            ),
            ("1. Use Z\n========\n", "12. Use Z\n=========\n"),
            ("# 1 Z\n", "# 1 Z\n"),
        ] {
            assert_eq!(record(own, Owner::This).text, renumbered);
        }
    }

    #[test]
    fn the_heading_of_a_twin_is_its_own() {
        let twin = record("# ADR-0001: Use A\n\nNot ADR-0001.\n", Owner::Twin);
        assert_eq!(twin.replaced, 0);
        assert_eq!(twin.unclear, [Unclear { line: 3, written: "ADR-0001".to_owned() }]);
    }

    #[test]
    fn plans_are_named_by_their_folder() {
        let name = Name::of_plan("0007-y").unwrap();
        let done = rewrite(
            "---\ndepends_on: [0007-y, 7, 0007]\nplan: 0007-y\n---\n[p](../0007-y/0007-y-plan.md) [[0007-y#x]] plan 7, plan 0007-x, 10007-y, 0007-you\n",
            &name,
            12,
            Owner::Other,
            &|_| Meaning::This,
        );
        assert_eq!(
            done.text,
            "---\ndepends_on: [0012-y, 12, 0012]\nplan: 0012-y\n---\n[p](../0012-y/0012-y-plan.md) [[0012-y#x]] plan 12, plan 0007-x, 10007-y, 0007-you\n"
        );
    }

    #[test]
    fn encoded_and_spaced_names() {
        let name = Name::of_record("ADR-0001-use z").unwrap();
        let text = "[x](ADR-0001-use%20z.md) [[ADR-0001-use z]]\n";
        let done = rewrite(text, &name, 2, Owner::Other, &|_| Meaning::This);
        assert_eq!(done.text, text.replace("0001", "0002"));
    }
}
