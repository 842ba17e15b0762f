//! Replaces the number of a decision record or a plan wherever a text refers to it.

mod sites;

use std::ops::Range;

use crate::name::{self, MAX_NUMBER_DIGITS};
use crate::path::percent_decode;
use sites::NumberSites;

/// The name of a record's file or of a plan's folder, split at its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberedName {
    /// The text before the number: `ADR-`, or nothing.
    before: String,
    /// The number as written: `0001`.
    digits: String,
    /// The text after the number: `-use-sqlite`.
    after: String,
    /// The word before the number in a text: `ADR`, `plan`.
    word_in_text: String,
    /// Whether the name is that of a plan.
    is_plan: bool,
}

/// A place where a text may refer to the renumbered record or plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence<'t> {
    /// How the text refers to it.
    pub form: OccurrenceForm,
    /// The text: a path or a name for [`OccurrenceForm::Name`], otherwise `ADR-0001`, `plan 7` or `7`.
    pub written: &'t str,
    /// The destination of the surrounding link; always `None` for [`OccurrenceForm::Name`].
    pub link: Option<&'t str>,
}

/// How a text refers to a record or a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OccurrenceForm {
    /// By the whole name of the file or folder.
    Name,
    /// By the number.
    Number,
}

/// What an occurrence refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// The renumbered record or plan.
    This,
    /// Something else.
    Other,
    /// One of several, and only a person can tell which.
    Ambiguous,
}

/// The result of renumbering in one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RewriteResult {
    /// The new text.
    pub text: String,
    /// The number of replacements.
    pub replacement_count: usize,
    /// The occurrences that were left unchanged because they are ambiguous.
    pub ambiguous: Vec<AmbiguousOccurrence>,
}

/// An ambiguous occurrence, which a person has to check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AmbiguousOccurrence {
    /// The line, from 1.
    pub line: usize,
    /// The text of the occurrence.
    pub written: String,
}

impl NumberedName {
    /// Splits the file name of a record, without its extension; `None` if it has no number.
    pub fn of_adr(stem: &str) -> Option<Self> {
        let after_letters = stem.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let letters = &stem[..stem.len() - after_letters.len()];
        let numbered = after_letters.trim_start_matches(['-', '_', ' ']);
        let word_in_text =
            if letters.is_empty() { "ADR".to_owned() } else { letters.to_uppercase() };
        Self::split(stem, numbered, word_in_text, false)
    }

    /// Splits the folder name of a plan; `None` if it has no number.
    pub fn of_plan(folder: &str) -> Option<Self> {
        Self::split(folder, folder, "plan".to_owned(), true)
    }

    fn split(whole: &str, numbered: &str, word_in_text: String, is_plan: bool) -> Option<Self> {
        let (digits, after) = name::split_leading_digits(numbered);
        let is_number = (1..=MAX_NUMBER_DIGITS).contains(&digits.len())
            && !after.starts_with(char::is_alphanumeric);
        is_number.then(|| NumberedName {
            before: whole[..whole.len() - numbered.len()].to_owned(),
            digits: digits.to_owned(),
            after: after.to_owned(),
            word_in_text,
            is_plan,
        })
    }

    /// Returns the number.
    pub fn number(&self) -> u32 {
        // Cannot fail: there are at most `MAX_NUMBER_DIGITS` digits.
        self.digits.parse().unwrap_or_default()
    }

    /// Returns the same name with another number, padded to the same width.
    #[must_use]
    pub fn with_number(&self, number: u32) -> String {
        format!("{}{}{}", self.before, pad_like(&self.digits, number), self.after)
    }

    /// Returns another number, padded to the width of this one.
    pub fn pad_number(&self, number: u32) -> String {
        pad_like(&self.digits, number)
    }

    /// Returns the number as written.
    pub fn digits(&self) -> &str {
        &self.digits
    }
}

/// Writes a number with at least as many digits as another.
fn pad_like(digits: &str, number: u32) -> String {
    format!("{number:0width$}", width = digits.len())
}

/// The document that a text belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextOwner {
    /// The renumbered record or plan, whose heading, title and id state its number.
    This,
    /// Another record or plan with the same number, whose heading states it too.
    SameNumber,
    /// Any other document.
    Other,
}

/// Replaces the number at every occurrence that, by `meaning`, refers to the renumbered record or plan.
pub fn rewrite(
    text: &str,
    name: &NumberedName,
    number: u32,
    owner: TextOwner,
    meaning: &dyn Fn(&Occurrence<'_>) -> Meaning,
) -> RewriteResult {
    let mut result = RewriteResult {
        text: String::with_capacity(text.len()),
        replacement_count: 0,
        ambiguous: vec![],
    };
    if !text.contains(name.digits.trim_start_matches('0')) {
        result.text.push_str(text);
        return result;
    }
    let sites = NumberSites::of(text, name, owner != TextOwner::Other);
    let own_meaning = if owner == TextOwner::This { Meaning::This } else { Meaning::Other };
    let mut copied_to = 0;
    let (mut line, mut counted_to) = (1, 0);
    for run in digit_runs(text).filter(|run| text[run.clone()].parse::<u32>() == Ok(name.number()))
    {
        let found = if sites.is_own_number(text, name, &run) {
            Some((own_meaning, ""))
        } else {
            occurrence(text, name, &sites, &run).map(|found| (meaning(&found), found.written))
        };
        match found {
            None | Some((Meaning::Other, _)) => {}
            Some((Meaning::This, _)) => {
                result.text.push_str(&text[copied_to..run.start]);
                result.text.push_str(&pad_like(&text[run.clone()], number));
                copied_to = run.end;
                result.replacement_count += 1;
            }
            Some((Meaning::Ambiguous, written)) => {
                line += text[counted_to..run.start].matches('\n').count();
                counted_to = run.start;
                result.ambiguous.push(AmbiguousOccurrence { line, written: written.to_owned() });
            }
        }
    }
    result.text.push_str(&text[copied_to..]);
    if owner == TextOwner::This {
        sites::extend_underline(&mut result.text);
    }
    result
}

/// Returns the ranges of the runs of digits that are short enough for a number.
fn digit_runs(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + bytes[at..].iter().position(u8::is_ascii_digit)?;
        let len = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        at = start + len;
        Some(start..at)
    })
    .filter(|run| run.len() <= MAX_NUMBER_DIGITS)
}

/// Returns whether a character can continue a name: a letter, a digit, `-` or `_`.
fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_')
}

/// Returns whether a character ends a path in a text: markup, a quote or white space.
fn is_path_end(c: char) -> bool {
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

/// Returns the occurrence around a number; `None` if the number cannot refer to the record or plan.
fn occurrence<'t>(
    text: &'t str,
    name: &NumberedName,
    sites: &'t NumberSites,
    run: &Range<usize>,
) -> Option<Occurrence<'t>> {
    let link = sites.link_around(run.start);
    let destination = link.map(|link| link.destination.as_str());
    if let Some(path) = name_or_path_around(text, name, run) {
        return Some(Occurrence { form: OccurrenceForm::Name, written: &text[path], link: None });
    }
    let by_number = |range: Range<usize>| Occurrence {
        form: OccurrenceForm::Number,
        written: &text[range],
        link: destination,
    };
    if let Some(range) = prefixed_number(text, name, run) {
        return Some(by_number(range));
    }
    let is_label = link.is_some_and(|link| link.starts_with_number(text, run));
    (is_label || sites.is_number_field(text, run)).then(|| by_number(run.clone()))
}

/// Returns the range of the path or name around a number, if the whole name of the file or folder is
/// written there.
fn name_or_path_around(
    text: &str,
    name: &NumberedName,
    run: &Range<usize>,
) -> Option<Range<usize>> {
    let start = run.start.checked_sub(name.before.len())?;
    let has_before = text.get(start..run.start)?.eq_ignore_ascii_case(&name.before);
    let starts_word = !text[..start].ends_with(is_name_char);
    if text[run.clone()] != name.digits || !has_before || !starts_word {
        return None;
    }
    let after = &text[run.end..];
    let after = &after[..after.find(is_path_end).unwrap_or(after.len())];
    // White space ends a path, but is written as it is in a wiki link or a list.
    let has_spaced_name = name.after.contains(char::is_whitespace)
        && starts_with_rest_of_name(&text[run.end..], name);
    if !starts_with_rest_of_name(after, name)
        && !starts_with_rest_of_name(&percent_decode(after), name)
        && !has_spaced_name
    {
        return None;
    }
    let path_start = text[..start]
        .rfind(is_path_end)
        .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    Some(path_start..run.end + after.len())
}

/// Returns whether a text starts with the part of the name after the number, and the word ends there; for a plan,
/// `-plan` may follow.
fn starts_with_rest_of_name(text: &str, name: &NumberedName) -> bool {
    let Some(beyond) = text
        .get(..name.after.len())
        .filter(|start| start.eq_ignore_ascii_case(&name.after))
        .map(|_| &text[name.after.len()..])
    else {
        return false;
    };
    let beyond = match name.is_plan {
        // The main document of a plan may be called after its folder: `0007-y-plan.md`.
        true => beyond.strip_prefix("-plan").unwrap_or(beyond),
        false => beyond,
    };
    !beyond.starts_with(is_name_char)
}

/// Returns the range of `ADR-0001` or `plan 7` around a run of digits; `None` without the word before it.
fn prefixed_number(text: &str, name: &NumberedName, run: &Range<usize>) -> Option<Range<usize>> {
    let before = &text[..run.start];
    let before = before.strip_suffix(['-', ' ', '_', '#']).unwrap_or(before);
    let start = before.len().checked_sub(name.word_in_text.len())?;
    let written = before.get(start..)?;
    let has_prefix = match name.is_plan {
        true => written.eq_ignore_ascii_case(&name.word_in_text),
        false => written == name.word_in_text,
    };
    let starts_word = !text[..start].ends_with(|c: char| is_name_char(c) || c == '/');
    let after = &text[run.end..];
    if !has_prefix || !starts_word || after.starts_with(char::is_alphanumeric) {
        return None;
    }
    let word = &after[..after.find(|c: char| !is_name_char(c)).unwrap_or(after.len())];
    let word = word.trim_end_matches(['-', '_']);
    // `plan 0007-other` is another plan; `ADR-0001-based` may be a word of a sentence.
    (!name.is_plan || word.is_empty()).then(|| start..run.end + word.len())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn renumber_adr_document(text: &str, owner: TextOwner) -> RewriteResult {
        let name = NumberedName::of_adr("ADR-0001-z").unwrap();
        rewrite(text, &name, 12, owner, &|found| match (found.form, found.link) {
            (OccurrenceForm::Name, _) => Meaning::This,
            (OccurrenceForm::Number, Some(link)) if link.contains("0001-z") => Meaning::This,
            (OccurrenceForm::Number, Some(_)) => Meaning::Other,
            (OccurrenceForm::Number, None) => Meaning::Ambiguous,
        })
    }

    #[test]
    fn names_are_split_at_their_number() {
        let name = NumberedName::of_adr("ADR-0001-use-sqlite").unwrap();
        assert_eq!((name.number(), name.with_number(12)), (1, "ADR-0012-use-sqlite".to_owned()));
        assert_eq!(NumberedName::of_adr("adr_7").unwrap().with_number(12), "adr_12");
        assert_eq!(NumberedName::of_plan("0007-y").unwrap().with_number(8), "0008-y");
        assert_eq!(NumberedName::of_adr("glossary"), None);
        assert_eq!(NumberedName::of_plan("20260101-y"), None);
    }

    #[test]
    fn whole_names_are_replaced_wherever_they_are_written() {
        let text = "---\nsupersedes: [ADR-0001-z.md]\n---\n[x](../adrs/ADR-0001-z.md#s) [[ADR-0001-z|it]] `ADR-0001-z`\nADR-0001-zebra ADR-0001-a.md ADR-00011-z XADR-0001-z ADR-1-z\n[r]: <ADR-0001-z.md>\n";
        let result = renumber_adr_document(text, TextOwner::Other);
        assert_eq!(
            result.text,
            "---\nsupersedes: [ADR-0012-z.md]\n---\n[x](../adrs/ADR-0012-z.md#s) [[ADR-0012-z|it]] `ADR-0012-z`\nADR-0001-zebra ADR-0001-a.md ADR-00011-z XADR-0001-z ADR-1-z\n[r]: <ADR-0012-z.md>\n"
        );
        assert_eq!(result.replacement_count, 5);
        let unclear: Vec<_> = result.ambiguous.iter().map(|place| place.written.as_str()).collect();
        assert_eq!(unclear, ["ADR-0001-zebra", "ADR-0001-a", "ADR-1-z"]);
    }

    #[test]
    fn ambiguous_numbers_are_reported_with_their_line() {
        let result = renumber_adr_document(
            "---\nsupersedes: 1\ndepends_on: 1\n---\nADR-0001, ADR 1\n1 and v1 and ADR-10\n",
            TextOwner::Other,
        );
        assert_eq!(result.replacement_count, 0);
        let unclear: Vec<_> =
            result.ambiguous.iter().map(|place| (place.line, place.written.as_str())).collect();
        assert_eq!(unclear, [(2, "1"), (5, "ADR-0001"), (5, "ADR 1")]);
    }

    #[test]
    fn the_label_of_a_link_follows_its_destination() {
        let result = renumber_adr_document(
            "[ADR-0001](ADR-0001-z.md) [1. Use Z](ADR-0001-z.md) [ADR-0001](ADR-0001-a.md)\n",
            TextOwner::Other,
        );
        assert_eq!(
            result.text,
            "[ADR-0012](ADR-0012-z.md) [12. Use Z](ADR-0012-z.md) [ADR-0001](ADR-0001-a.md)\n"
        );
        assert_eq!(result.ambiguous, []);
    }

    #[test]
    fn a_record_is_renumbered_in_its_own_heading_and_title() {
        for (before, after) in [
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
            assert_eq!(renumber_adr_document(before, TextOwner::This).text, after);
        }
    }

    #[test]
    fn the_heading_of_another_record_with_the_same_number_is_kept() {
        let twin =
            renumber_adr_document("# ADR-0001: Use A\n\nNot ADR-0001.\n", TextOwner::SameNumber);
        assert_eq!(twin.replacement_count, 0);
        assert_eq!(
            twin.ambiguous,
            [AmbiguousOccurrence { line: 3, written: "ADR-0001".to_owned() }]
        );
    }

    #[test]
    fn plans_are_renumbered_by_their_folder_name() {
        let name = NumberedName::of_plan("0007-y").unwrap();
        let result = rewrite(
            "---\ndepends_on: [0007-y, 7, 0007]\nplan: 0007-y\n---\n[p](../0007-y/0007-y-plan.md) [[0007-y#x]] plan 7, plan 0007-x, 10007-y, 0007-you\n",
            &name,
            12,
            TextOwner::Other,
            &|_| Meaning::This,
        );
        assert_eq!(
            result.text,
            "---\ndepends_on: [0012-y, 12, 0012]\nplan: 0012-y\n---\n[p](../0012-y/0012-y-plan.md) [[0012-y#x]] plan 12, plan 0007-x, 10007-y, 0007-you\n"
        );
    }

    #[test]
    fn percent_encoded_names_and_names_with_spaces_are_replaced() {
        let name = NumberedName::of_adr("ADR-0001-use z").unwrap();
        let text = "[x](ADR-0001-use%20z.md) [[ADR-0001-use z]]\n";
        let result = rewrite(text, &name, 2, TextOwner::Other, &|_| Meaning::This);
        assert_eq!(result.text, text.replace("0001", "0002"));
    }
}
