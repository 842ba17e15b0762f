//! The sections of a prompt: one for each level, from the most general to the task.

use heirloom_store::layout;

/// How the entries of a level are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryStyle {
    /// Under a heading with the key of the entry.
    Headed,
    /// One after the other.
    Plain,
    /// Under a heading, unless it is the first: the prompt of the agent.
    Task,
}

/// Returns the heading of a level, and how its entries are shown. The last level is the task.
pub(super) fn section(level: &str, is_last: bool) -> (String, EntryStyle) {
    if is_last {
        return ("## Your Task".to_owned(), EntryStyle::Task);
    }
    match level {
        "sprint" => ("## Current Sprint".to_owned(), EntryStyle::Plain),
        "stage" => ("## Stage Artifacts".to_owned(), EntryStyle::Headed),
        "plan" => ("## Current Plan".to_owned(), EntryStyle::Headed),
        other => {
            let mut letters = other.chars();
            let first = letters.next().into_iter().flat_map(char::to_uppercase);
            let title: String = first.chain(letters).collect();
            (format!("## {title} Context"), EntryStyle::Headed)
        }
    }
}

/// Returns an entry as it stands in the prompt. Data is fenced as code of its language.
pub(super) fn entry(
    style: EntryStyle,
    is_first: bool,
    key: &str,
    path: &str,
    content: &str,
) -> String {
    let body =
        if layout::is_markdown(path) { content.trim().to_owned() } else { fenced(path, content) };
    match style {
        EntryStyle::Plain => body,
        EntryStyle::Task if is_first => body,
        EntryStyle::Headed | EntryStyle::Task => format!("### {key}\n\n{body}"),
    }
}

fn fenced(path: &str, content: &str) -> String {
    let extension =
        path.rsplit('/').next().unwrap_or(path).rsplit_once('.').map_or("", |(_, end)| end);
    let language = match extension {
        "yml" => "yaml",
        "txt" => "",
        other if other.chars().all(|c| c.is_ascii_alphanumeric()) => other,
        _ => "",
    };
    let longest = content.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    format!("{fence}{language}\n{}\n{fence}", content.trim_matches(['\n', '\r']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_fenced_and_markdown_is_not() {
        let shown = |path, content| entry(EntryStyle::Headed, true, "key", path, content);
        assert_eq!(shown("a/b.json", "{}\n"), "### key\n\n```json\n{}\n```");
        assert_eq!(shown("a/b.md", "Text\n"), "### key\n\nText");
        assert_eq!(shown("a/b.txt", "```\nx"), "### key\n\n````\n```\nx\n````");
        assert_eq!(entry(EntryStyle::Task, true, "key", "p.md", "Do."), "Do.");
    }

    #[test]
    fn sections_have_the_names_of_their_levels() {
        assert_eq!(section("project", false).0, "## Project Context");
        assert_eq!(section("sprint", false), ("## Current Sprint".to_owned(), EntryStyle::Plain));
        assert_eq!(section("agent", true).0, "## Your Task");
    }
}
