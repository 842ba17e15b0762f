//! Wraps a line of prose to the width of the terminal.

use heirloom_core::hint::HintFormatter;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::text::{Role, Span};

/// A narrower terminal gets lines as they are.
const MIN_TEXT_WIDTH: usize = 20;

/// Renders a line. With a width, it is wrapped at spaces, and further lines are indented. A word that is too long stays
/// whole, because it may be a path.
pub(super) fn render(
    spans: &[Span],
    indent: usize,
    width: Option<usize>,
    word: HintFormatter<'_>,
    paint: &dyn Fn(Role, &str) -> String,
    out: &mut String,
) {
    let width = width.filter(|width| *width >= indent + MIN_TEXT_WIDTH).unwrap_or(usize::MAX);
    let mut column = 0;
    for span in spans {
        let mut line = String::new();
        let text = span.printable(word);
        for piece in text.split_inclusive(' ').flat_map(breakable_pieces) {
            let is_blank = piece.trim_end().is_empty();
            if column > indent && !is_blank && column + piece.trim_end().width() > width {
                if !line.trim_end().is_empty() {
                    out.push_str(&paint(span.role, line.trim_end()));
                }
                out.truncate(out.trim_end_matches(' ').len());
                out.push('\n');
                out.push_str(&" ".repeat(indent));
                line.clear();
                column = indent;
            }
            line.push_str(piece);
            column += piece.width();
        }
        if !line.is_empty() {
            out.push_str(&paint(span.role, &line));
        }
    }
}

/// Splits a word in a script that is written without spaces, whose lines may break between any two characters.
fn breakable_pieces(word: &str) -> Vec<&str> {
    let is_wide = |c: char| c.width() == Some(2) && c.is_alphabetic();
    match word.contains(is_wide) {
        true => word.char_indices().map(|(at, c)| &word[at..at + c.len_utf8()]).collect(),
        false => vec![word],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::{plain_text, span};

    fn rendered(spans: &[Span], width: Option<usize>) -> String {
        let mut out = String::new();
        render(spans, 4, width, &plain_text, &|role, text| format!("{role:?}({text})"), &mut out);
        out
    }

    #[test]
    fn a_line_is_wrapped_between_words_and_roles_are_kept() {
        let spans = [span(Role::Key, "id  "), "one two three four five six".into()];
        let whole = "Key(id  )Plain(one two three four five six)";
        assert_eq!(rendered(&spans, None), whole);
        assert_eq!(rendered(&spans, Some(31)), whole);
        assert_eq!(rendered(&spans, Some(10)), whole);
        assert_eq!(
            rendered(&spans, Some(24)),
            "Key(id  )Plain(one two three four)\n    Plain(five six)"
        );
    }

    #[test]
    fn a_script_without_spaces_is_wrapped_between_characters() {
        let spans = [span(Role::Plain, "数据库密码策略每年更新一次并且写入日志")];
        assert_eq!(
            rendered(&spans, Some(24)),
            "Plain(数据库密码策略每年更新一)\n    Plain(次并且写入日志)"
        );
    }

    #[test]
    fn a_long_word_stays_whole() {
        let spans =
            [span(Role::Dim, "    in "), span(Role::Source, "a/path/that/is/rather/long.md")];
        assert_eq!(
            rendered(&spans, Some(30)),
            "Dim(    in )\n    Source(a/path/that/is/rather/long.md)"
        );
    }
}
