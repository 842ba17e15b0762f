//! Budgets of hot memory in lines and tokens, and how far they are used.

use schemars::JsonSchema;
use serde::Serialize;

use crate::frontmatter::{self, FrontMatterLocation};
use crate::{Problem, yaml};

/// What a text takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Size {
    /// Number of lines.
    pub lines: usize,
    /// Number of tokens (o200k).
    pub tokens: usize,
}

impl std::ops::AddAssign for Size {
    fn add_assign(&mut self, other: Size) {
        self.lines += other.lines;
        self.tokens += other.tokens;
    }
}

/// What a text may take.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Budget {
    /// Maximum number of lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<usize>,
    /// Maximum number of tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<usize>,
}

/// How far a budget is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fill {
    /// There is room.
    Room,
    /// The share at which to warn is reached.
    Near,
    /// More is used than the budget allows.
    Over,
}

impl Budget {
    /// Returns how far a size uses the budget. `warning_share` is the share from which on it is nearly used.
    pub fn fill(&self, size: Size, warning_share: f64) -> Fill {
        let lines = self.lines.map(|limit| fill(size.lines, limit, warning_share));
        let tokens = self.tokens.map(|limit| fill(size.tokens, limit, warning_share));
        lines.into_iter().chain(tokens).max().unwrap_or(Fill::Room)
    }
}

fn fill(used: usize, limit: usize, warning_share: f64) -> Fill {
    if used > limit {
        Fill::Over
    } else if used as f64 >= limit as f64 * warning_share && used > 0 {
        Fill::Near
    } else {
        Fill::Room
    }
}

/// Returns the number of lines of a text, as `wc -l` and editors count them.
pub fn count_lines(text: &str) -> usize {
    text.lines().count()
}

/// The start of the comment that states a budget.
const COMMENT_START: &str = "<!-- budget:";

const HINT: &str =
    "write it like `<!-- budget: 50 lines -->` or `<!-- budget: 50 lines, 600 tokens -->`";

/// Returns the line that states the budget of a file, from 0, and what it says.
fn statement(text: &str) -> Option<(usize, &str)> {
    let mut fence: Option<&str> = None;
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        let marker = ["```", "~~~"].into_iter().find(|marker| line.starts_with(marker));
        match (fence, marker) {
            (None, Some(marker)) => fence = Some(marker),
            (Some(open), Some(marker)) if open == marker => fence = None,
            _ => {}
        }
        if fence.is_none()
            && let Some(start) = line.get(..COMMENT_START.len())
            && start.eq_ignore_ascii_case(COMMENT_START)
        {
            let rest = &line[COMMENT_START.len()..];
            return Some((at, rest.split("-->").next().unwrap_or(rest).trim()));
        }
    }
    None
}

/// Returns the byte range of the comment that states the budget of a file, with its line break.
pub fn statement_bytes(text: &str) -> Option<std::ops::Range<usize>> {
    let (line, _) = statement(text)?;
    let mut lines = text.split_inclusive('\n');
    let start = lines.by_ref().take(line).map(str::len).sum();
    Some(start..start + lines.next().map_or(0, str::len))
}

/// Returns the budget that a file states: in a comment `<!-- budget: 50 lines -->`, or as `budget:` in its front matter.
pub fn stated_budget(path: &str, text: &str) -> Result<Option<Budget>, Problem> {
    let (line, stated) = match (statement(text), stated_in_front_matter(text)) {
        (Some((line, stated)), _) => (line + 1, stated.to_owned()),
        (None, Some((line, stated))) => (line, stated),
        (None, None) => return Ok(None),
    };
    let problem = || {
        let stated = stated.escape_debug();
        Problem::at(path, line, format!("the budget `{stated}` is no number of lines or tokens"))
            .hint(HINT)
    };
    parse(&stated).ok_or_else(problem).map(Some)
}

fn stated_in_front_matter(text: &str) -> Option<(usize, String)> {
    let FrontMatterLocation::Block { yaml: range, .. } = frontmatter::split(text) else {
        return None;
    };
    let node = yaml::parse(&text[range]).ok().flatten()?;
    let entry = node.entry("budget")?;
    Some((entry.line + 1, crate::document::scalar_to_text(&entry.value.value())?))
}

/// Parses `50 lines`, `600 tokens` or both.
fn parse(stated: &str) -> Option<Budget> {
    let mut budget = Budget::default();
    let mut number: Option<usize> = None;
    let words = stated.split_whitespace().map(|word| word.trim_matches([',', ';', '/', '+']));
    for word in words.filter(|word| !word.is_empty() && *word != "and") {
        let digits = word.trim_start_matches(['<', '~', '≤', '=']).replace(['_', ','], "");
        match (digits.parse().ok(), number.take()) {
            (Some(limit), None) => number = Some(limit),
            (None, Some(limit)) if limit > 0 => {
                let field = match word.trim_end_matches('s') {
                    "line" => &mut budget.lines,
                    "token" => &mut budget.tokens,
                    _ => return None,
                };
                if field.replace(limit).is_some() {
                    return None;
                }
            }
            _ if matches!(word, "<" | "~" | "≤") => {}
            _ => return None,
        }
    }
    (number.is_none() && budget != Budget::default()).then_some(budget)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_and_tokens(text: &str) -> Option<(Option<usize>, Option<usize>)> {
        stated_budget("a.md", text).unwrap().map(|budget| (budget.lines, budget.tokens))
    }

    #[test]
    fn a_budget_is_stated_in_a_comment_or_in_the_front_matter() {
        for (text, expected) in [
            ("<!-- budget: 50 lines -->\n# A\n", Some((Some(50), None))),
            ("# A\n\n<!-- Budget: <80 lines, 1,000 tokens -->\n", Some((Some(80), Some(1_000)))),
            ("<!-- budget: 600 tokens -->", Some((None, Some(600)))),
            ("<!-- budget: 1 line and 20 tokens-->", Some((Some(1), Some(20)))),
            ("---\nbudget: 40 lines\n---\n", Some((Some(40), None))),
            ("# A\n", None),
            ("```\n<!-- budget: 50 lines -->\n```\n", None),
        ] {
            assert_eq!(lines_and_tokens(text), expected, "{text}");
        }
    }

    #[test]
    fn a_budget_that_cannot_be_read_is_a_problem_with_its_line() {
        for stated in ["fifty lines", "50", "50 bytes", "", "0 lines", "5 lines 6 lines"] {
            let text = format!("# A\n\n<!-- budget: {stated} -->\n");
            let problem = stated_budget("a.md", &text).unwrap_err();
            assert_eq!((problem.path.as_str(), problem.line), ("a.md", 3), "{stated}");
        }
        let problem = stated_budget("a.md", "---\ntitle: x\nbudget: many\n---\n").unwrap_err();
        assert_eq!(problem.line, 3);
    }

    #[test]
    fn a_budget_warns_before_it_is_used_up() {
        let budget = Budget { lines: Some(50), tokens: Some(100) };
        let fill = |lines, tokens| budget.fill(Size { lines, tokens }, 0.9);
        assert_eq!(fill(44, 89), Fill::Room);
        assert_eq!([fill(45, 0), fill(50, 0), fill(0, 90)], [Fill::Near; 3]);
        assert_eq!([fill(51, 0), fill(0, 101)], [Fill::Over; 2]);
        assert_eq!(Budget::default().fill(Size { lines: 9_999, tokens: 9_999 }, 0.9), Fill::Room);
    }

    #[test]
    fn the_range_of_the_statement_includes_its_line_break() {
        let text = "# A\r\n<!-- budget: 5 lines -->\r\nrest";
        assert_eq!(&text[statement_bytes(text).unwrap()], "<!-- budget: 5 lines -->\r\n");
        assert_eq!(statement_bytes("# A\n"), None);
    }
}
