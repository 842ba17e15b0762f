//! What is shown of parts of a Markdown document on one line.

use std::ops::Range;

use crate::prose::{is_list_item, one_line, whole_sentences};

/// The most words of a list that are added to the sentence which introduces it.
const MAX_LIST_WORDS: usize = 80;

/// What lies between two parts is shown, too, if it has at most this number of words.
const MAX_WORDS_BETWEEN: usize = 40;

/// The most commands of a shell that are shown.
const MAX_COMMANDS: usize = 4;

/// Languages of code blocks that hold commands.
const SHELLS: [&str; 6] = ["bash", "console", "sh", "shell", "shell-session", "zsh"];

/// Returns what is shown of parts of a document: their whole sentences with the list that the last one introduces, on one
/// line, in the order of the document, with `…` where something is left out between them. Commands are joined; of other code
/// it says only that it is there, since code on one line cannot be read. Link definitions and comments, which readers of
/// the document do not see, are left out. `None` if none is a part of the text.
pub fn readable_parts(text: &str, parts: &[&str]) -> Option<String> {
    let ranges = joined(text, parts.iter().filter_map(|part| sentence_range(text, part)).collect());
    let shown: Vec<String> = ranges.into_iter().map(|range| readable(text, range)).collect();
    (!shown.is_empty()).then(|| shown.join(" … "))
}

/// Returns where the whole sentences of a part are, with the list that the last one introduces.
fn sentence_range(text: &str, part: &str) -> Option<Range<usize>> {
    let sentences = whole_sentences(text, part);
    let offset = |sentence: &str| sentence.as_ptr() as usize - text.as_ptr() as usize;
    let (first, last) = (sentences.first()?, sentences.last()?);
    Some(offset(first)..end_with_list(text, offset(last) + last.len()))
}

/// Joins ranges that overlap or have little between them, in order.
fn joined(text: &str, mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| range.start);
    let mut result: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        let is_near = |last: &&mut Range<usize>| {
            let between = text.get(last.end..range.start).unwrap_or_default();
            between.split_whitespace().count() <= MAX_WORDS_BETWEEN
        };
        match result.last_mut().filter(is_near) {
            Some(last) => last.end = last.end.max(range.end),
            None => result.push(range),
        }
    }
    result
}

/// Returns what is shown of a range of a document.
fn readable(text: &str, Range { start, end }: Range<usize>) -> String {
    let mut shown = Vec::new();
    let mut code: Option<CodeBlock> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let fence = fence_in(line).map(|fence| at + fence);
        let line_end = at + line.len();
        let (from, to) = (at.max(start), line_end.min(fence.unwrap_or(line_end)).min(end));
        at = line_end;
        match (&mut code, fence) {
            (Some(block), None) => block.add(line, from < to),
            (Some(_), Some(_)) => shown.extend(code.take().and_then(|block| block.summary())),
            (None, _) => {
                if from < to && !is_invisible(line) {
                    let part = &text[from..to];
                    shown.push(table_row(part).unwrap_or_else(|| part.to_owned()));
                }
                code = fence.map(|fence| CodeBlock::new(&text[fence..line_end]));
            }
        }
    }
    shown.extend(code.and_then(|block| block.summary()));
    one_line(&shown.join(" "))
}

/// Returns where the list ends that the text before `end` introduces with a colon; `end` if it introduces none. A long list
/// is cut between its items.
fn end_with_list(text: &str, end: usize) -> usize {
    if !text[..end].ends_with(':') {
        return end;
    }
    let (mut at, mut list_end, mut words, mut is_open) = (end, end, 0, false);
    for line in text[end..].split_inclusive('\n') {
        at += line.len();
        if line.trim().is_empty() {
            // Another item may follow, but no further line of this one.
            is_open = false;
            continue;
        }
        words += line.split_whitespace().count();
        is_open |= is_list_item(line);
        if !is_open || words > MAX_LIST_WORDS {
            break;
        }
        list_end = at;
    }
    list_end
}

/// Returns where a line has a fence that begins or ends a block of code: at its beginning, or after a heading in the same
/// line.
fn fence_in(line: &str) -> Option<usize> {
    let start = line.len() - line.trim_start().len();
    let is_fence = |at: &usize| ["```", "~~~"].iter().any(|fence| line[*at..].starts_with(fence));
    let after_heading = || line.rfind(": ```").map(|colon| colon + ": ".len());
    let language = |at: &usize| line[*at..].trim_matches(|c: char| c == '`' || c.is_whitespace());
    Some(start)
        .filter(is_fence)
        .or_else(after_heading)
        .filter(|at| !language(at).contains([' ', '`']))
}

/// Returns whether readers of the document do not see a line: `[name]: https://…` defines where a link leads to, and
/// `<!-- … -->` is a comment.
fn is_invisible(line: &str) -> bool {
    let line = line.trim();
    let definition = line.strip_prefix('[').and_then(|rest| rest.split_once("]: "));
    let is_definition = definition.is_some_and(|(_, target)| {
        let target = target.trim_start();
        ["http://", "https://", "/", "./", "../", "#"].iter().any(|start| target.starts_with(start))
    });
    is_definition || line.starts_with("<!--") && line.ends_with("-->")
}

/// Returns the cells of a row of a table, also if only its end is given; nothing of the line under the header. `None` for
/// other lines.
fn table_row(line: &str) -> Option<String> {
    let line = line.trim();
    if !line.ends_with('|') || line.ends_with("||") {
        return None;
    }
    let is_line = |cell: &&str| cell.chars().all(|c| matches!(c, '-' | ':'));
    let cells: Vec<&str> = line.split('|').map(str::trim).filter(|cell| !is_line(cell)).collect();
    let row = cells.join(" | ");
    Some(if row.is_empty() || row.ends_with(['.', ';', ':', '!', '?']) { row } else { row + ";" })
}

/// A block of code.
struct CodeBlock<'t> {
    language: &'t str,
    lines: Vec<&'t str>,
    /// Whether the part that is shown contains some of it.
    is_shown: bool,
}

impl<'t> CodeBlock<'t> {
    fn new(fence: &'t str) -> Self {
        let language = fence.trim().trim_start_matches(['`', '~']).trim();
        CodeBlock { language, lines: vec![], is_shown: false }
    }

    fn add(&mut self, line: &'t str, is_shown: bool) {
        self.is_shown |= is_shown;
        let line = line.trim();
        if !line.is_empty() {
            self.lines.push(line);
        }
    }

    /// Returns what is shown of it: one line of code, commands, or how much code there is.
    fn summary(&self) -> Option<String> {
        if !self.is_shown {
            return None;
        }
        let is_shell = SHELLS.contains(&self.language.to_lowercase().as_str())
            || self.lines.iter().all(|line| line.starts_with("$ "));
        let commands: Vec<&str> = match is_shell {
            true => {
                let lines = self.lines.iter().filter(|line| !line.starts_with('#'));
                lines.map(|line| line.trim_start_matches("$ ")).collect()
            }
            false => self.lines.clone(),
        };
        let is_continued = commands.iter().any(|line| line.ends_with('\\'));
        match (commands.as_slice(), self.language) {
            ([], _) => None,
            ([line], _) => Some(format!("`{}`", line.trim_matches('`'))),
            (_, _) if is_shell && !is_continued && commands.len() <= MAX_COMMANDS => {
                Some(format!("`{}`", commands.join("; ")))
            }
            (_, "mermaid" | "plantuml") => Some("(a diagram)".to_owned()),
            (lines, _) => Some(format!("({} lines of code)", lines.len())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = "\
Migrations are generated. After a change of a model run:

```bash
# in the container
make migrations
make migrate
```

Never edit them:

- The order is fixed.
- Squashed ones
  are replaced.

Then check the class.
```csharp
class A {
    int b;
}
```
[1]: https://example.org
<!-- A reminder -->
One more line, `npm run x`.
```
npm ci
```
";

    fn readable_part(text: &str, part: &str) -> Option<String> {
        readable_parts(text, &[part])
    }

    fn readable(part: &str) -> String {
        readable_part(DOCUMENT, part).unwrap()
    }

    #[test]
    fn parts_are_joined_in_order_and_what_lies_between_is_marked() {
        let middle = "Other words fill the long middle of the text. ".repeat(6);
        let text = format!("It begins here. Then it goes on. {middle}It ends here.");
        let shown = |parts: &[&str]| readable_parts(&text, parts).unwrap();
        assert_eq!(shown(&["It ends here.", "It begins here."]), "It begins here. … It ends here.");
        assert_eq!(
            shown(&["Then it goes on.", "It begins here. Then it goes on."]),
            "It begins here. Then it goes on."
        );
        let near = "One is here. Two is between. Three is there.";
        assert_eq!(readable_parts(near, &["Three is there.", "One is here."]).unwrap(), near);
    }

    #[test]
    fn a_list_follows_the_sentence_that_introduces_it() {
        assert_eq!(
            readable("Never edit them:"),
            "Never edit them: - The order is fixed. - Squashed ones are replaced."
        );
        let long = format!("We chose:\n{}", "- one of very many items\n".repeat(40));
        let shown = readable_part(&long, "We chose:").unwrap();
        assert!(shown.ends_with("- one of very many items"), "{shown}");
        assert!(shown.split_whitespace().count() <= MAX_LIST_WORDS + 2, "{shown}");
    }

    #[test]
    fn commands_are_joined_and_other_code_is_counted() {
        let all = readable(DOCUMENT);
        assert!(all.contains("run: `make migrations; make migrate` Never"), "{all}");
        assert!(all.contains("check the class. (3 lines of code) One more"), "{all}");
        assert!(all.ends_with("`npm run x`. `npm ci`"), "{all}");
        for diagram in ["The model:\n```mermaid\na\nb\n```\n", "The model: ```mermaid\na\nb\n```"] {
            assert_eq!(readable_part(diagram, diagram).unwrap(), "The model: (a diagram)");
        }
        for inline in ["```one line``` of code", "The model: ```a b``` is"] {
            assert_eq!(readable_part(inline, inline).unwrap(), inline);
        }
    }

    #[test]
    fn code_outside_of_the_part_is_not_shown() {
        assert_eq!(readable("Then check the class."), "Then check the class.");
        assert_eq!(readable("int b;"), "(3 lines of code)");
        assert_eq!(readable_part(DOCUMENT, "no part of it"), None);
    }

    #[test]
    fn rows_of_tables_are_separated() {
        let table = "What is set:\n\n| Name | Value |\n|:---|---:|\n| port | 80 |\n| | none. |\n";
        assert_eq!(
            readable_part(table, table).unwrap(),
            "What is set: Name | Value; port | 80; none."
        );
        let code = "Use a || b here.";
        assert_eq!(readable_part(code, code).unwrap(), code);
    }

    #[test]
    fn link_definitions_and_comments_are_left_out() {
        for line in
            ["[1]: https://example.org", "  [adr]: ../adr/0001.md", "[top]: #top", "<!-- x -->"]
        {
            assert!(is_invisible(line), "{line}");
        }
        for line in
            ["[x] done", "[note]: keep the order", "See [1]: https://example.org", "a <!-- x -->"]
        {
            assert!(!is_invisible(line), "{line}");
        }
    }
}
