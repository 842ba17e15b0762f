//! Moves an item of hot memory to a document of warm memory and back.
//!
//! A link takes the place of the item. The warm document holds the bytes of the item unchanged between two comments,
//! which say where it came from and which line breaks were added, so that bringing it back restores both files.

use std::ops::Range;

use super::demoted_link::{self, END, OPEN};
use super::item::{self, HotItem};
use crate::lines::{breaks_to_empty_line, detect_newline, newline_after};
use crate::{path, words};

/// The start of the comment after an item.
const CLOSE: &str = "<!-- /demoted: ";

/// An item in a document of warm memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DemotedItem {
    /// The id, which the link in the hot file has too.
    pub id: String,
    /// The file that it came from.
    pub from: String,
    /// Its heading.
    pub heading: String,
    /// The line of its heading.
    pub line: usize,
    /// The bytes of the item.
    bytes: Range<usize>,
    /// The bytes of the item with its comments and the line breaks that were added.
    envelope: Range<usize>,
    /// The number of line breaks after the link in the hot file.
    breaks_after_link: usize,
}

impl DemotedItem {
    /// Returns its text in the document that it was found in.
    pub fn text<'t>(&self, document: &'t str) -> &'t str {
        &document[self.bytes.clone()]
    }
}

/// The texts of both files after a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedItem {
    /// The id of the item.
    pub id: String,
    /// The text of the hot file.
    pub hot: String,
    /// The text of the warm document.
    pub warm: String,
    /// Whether the item took the place of its link. Otherwise the link was missing, and the item is at the end.
    pub is_at_link: bool,
}

/// Moves an item from a hot file to a warm document. `hot` and `warm` are path and text of each.
pub fn demote(hot: (&str, &str), warm: (&str, &str), item: &HotItem) -> MovedItem {
    let ((hot_path, hot_text), (warm_path, warm_text)) = (hot, warm);
    let body = &hot_text[item.bytes.clone()];
    let id = unused_id(hot_path, body, &[hot_text, warm_text]);
    let newline = detect_newline(hot_text);
    let after = &hot_text[item.bytes.end..];
    let breaks_after_link = match (after.is_empty(), body.ends_with('\n')) {
        (false, _) => 2,
        (true, true) => 1,
        (true, false) => 0,
    };
    let target = path::relative_link(hot_path, warm_path);
    let label = item.heading.replace(['[', ']'], "").replace(['\r', '\n'], " ");
    let link = format!(
        "[{}](<{target}#{}>) {OPEN}{id}; level {}{END}",
        label.trim(),
        item::slug(&item.heading),
        item.level
    );
    let hot = format!(
        "{}{link}{}{after}",
        &hot_text[..item.bytes.start],
        newline.repeat(breaks_after_link)
    );
    let newline = newline_after(if warm_text.is_empty() { hot_text } else { warm_text });
    let gap = breaks_to_empty_line(warm_text);
    let added = usize::from(!body.ends_with('\n'));
    let newline_after_body = if body.ends_with('\r') { "\r\n" } else { newline };
    let warm = format!(
        "{warm_text}{}{OPEN}{id} from {hot_path}; line breaks {gap} {breaks_after_link} {added}{END}{newline}{body}{}{CLOSE}{id}{END}{newline}",
        newline.repeat(gap),
        newline_after_body.repeat(added),
    );
    MovedItem { id, hot, warm, is_at_link: true }
}

/// Returns an id that no text contains yet.
fn unused_id(path: &str, body: &str, texts: &[&str]) -> String {
    let mut salt = 0;
    loop {
        let id = words::short_hash(&format!("demoted\n{path}\n{salt}\n{body}"));
        if !texts.iter().any(|text| text.contains(&id)) {
            return id;
        }
        salt += 1;
    }
}

/// Returns the items in a document of warm memory, in order. Comments that are not closed are left out.
pub fn demoted_items(text: &str) -> Vec<DemotedItem> {
    let mut found = Vec::new();
    let mut start = 0;
    while let Some(at) = text[start..].find(OPEN).map(|at| start + at) {
        start = at + OPEN.len();
        let parsed = parse_envelope(text, at);
        if let Some(item) = parsed {
            start = item.envelope.end;
            found.push(item);
        }
    }
    found
}

fn parse_envelope(text: &str, at: usize) -> Option<DemotedItem> {
    let line_end = text[at..].find('\n').map(|end| at + end + 1)?;
    let statement = text[at..line_end].trim_end().strip_prefix(OPEN)?.strip_suffix(END)?;
    let (id, rest) = statement.split_once(" from ")?;
    let (from, breaks) = rest.rsplit_once("; line breaks ")?;
    let numbers: Vec<usize> = breaks.split(' ').map_while(|it| it.parse().ok()).collect();
    let [gap, breaks_after_link, added] = numbers[..] else { return None };
    if gap > 2 || breaks_after_link > 2 || added > 1 {
        return None;
    }
    let close = format!("{CLOSE}{id}{END}");
    let close_start = text[line_end..].match_indices(&close).map(|(at, _)| line_end + at);
    let close_start = close_start.into_iter().find(|at| text[..*at].ends_with('\n'))?;
    let close_end = text[close_start..].find('\n').map_or(text.len(), |end| close_start + end + 1);
    let body_end = skip_breaks_before(text, close_start, added);
    let bytes = line_end..body_end.max(line_end);
    let heading = item::items(&text[bytes.clone()]).into_iter().next();
    Some(DemotedItem {
        id: id.to_owned(),
        from: from.to_owned(),
        heading: heading.map(|item| item.heading).unwrap_or_default(),
        line: 1 + text[..line_end].bytes().filter(|byte| *byte == b'\n').count(),
        bytes,
        envelope: skip_breaks_before(text, at, gap)..close_end,
        breaks_after_link,
    })
}

/// Returns the offset before at most `count` line breaks that end at `end`.
fn skip_breaks_before(text: &str, end: usize, count: usize) -> usize {
    let mut end = end;
    for _ in 0..count {
        let Some(before) = text[..end].strip_suffix('\n') else { break };
        end = before.strip_suffix('\r').unwrap_or(before).len();
    }
    end
}

/// Brings an item back from a warm document. The item takes the place of its link, or comes to the end of the file if the
/// link is missing.
pub fn promote(hot: (&str, &str), warm_text: &str, item: &DemotedItem) -> MovedItem {
    let (hot_path, hot_text) = hot;
    let body = &warm_text[item.bytes.clone()];
    let link = demoted_link::links(hot_path, hot_text).into_iter().find(|link| link.id == item.id);
    let is_at_link = link.is_some();
    let hot = match link {
        Some(link) => {
            let end = skip_breaks_after(hot_text, link.bytes.end, item.breaks_after_link);
            format!("{}{body}{}", &hot_text[..link.bytes.start], &hot_text[end..])
        }
        None => {
            let gap = detect_newline(hot_text).repeat(breaks_to_empty_line(hot_text));
            format!("{hot_text}{gap}{body}")
        }
    };
    let Range { start, end } = item.envelope;
    let warm = format!("{}{}", &warm_text[..start], &warm_text[end..]);
    MovedItem { id: item.id.clone(), hot, warm, is_at_link }
}

/// Returns the offset after at most `count` line breaks that start at `start`.
fn skip_breaks_after(text: &str, start: usize, count: usize) -> usize {
    let mut start = start;
    for _ in 0..count {
        let rest = &text[start..];
        let Some(after) = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n')) else {
            break;
        };
        start = text.len() - after.len();
    }
    start
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HOT: &str = "agent/rules/common/a.md";
    const WARM: &str = ".heirloom/context/rules.md";

    /// Demotes the item `number` and promotes it again.
    fn there_and_back(hot: &str, warm: &str, number: usize) -> (MovedItem, MovedItem) {
        let items = item::items(hot);
        let moved = demote((HOT, hot), (WARM, warm), &items[number % items.len()]);
        let demoted = demoted_items(&moved.warm);
        let demoted = demoted.iter().find(|item| item.id == moved.id).unwrap();
        assert_eq!(demoted.from, HOT);
        let back = promote((HOT, &moved.hot), &moved.warm, demoted);
        (moved, back)
    }

    #[test]
    fn an_item_leaves_a_link_and_comes_back_byte_for_byte() {
        let hot = "# A\r\n\r\n## Long [names]\r\n\r\n- x\r\n\r\n## Next\r\nend";
        let (moved, back) = there_and_back(hot, "# Rules\n", 1);
        assert!(
            moved.hot.contains("[Long names](<../../../.heirloom/context/rules.md#long-names>)")
        );
        assert!(moved.hot.ends_with("-->\r\n\r\n## Next\r\nend"), "{}", moved.hot);
        assert!(moved.warm.contains("-->\n## Long [names]\r\n\r\n- x\r\n\r\n<!-- /demoted: "));
        let link = &demoted_link::links(HOT, &moved.hot)[0];
        assert_eq!((link.target.as_str(), link.line), (WARM, 3));
        assert_eq!((back.hot.as_str(), back.warm.as_str()), (hot, "# Rules\n"));
        assert!(back.is_at_link);
    }

    #[test]
    fn the_link_of_an_item_stays_when_the_item_before_it_moves() {
        let hot = "# R\n\n## A\na\n\n### Of A\nb\n\n## B\nc\n";
        let below = demote((HOT, hot), (WARM, "w\n"), &item::items(hot)[2]);
        let last = demote((HOT, &below.hot), (WARM, &below.warm), &item::items(&below.hot)[2]);
        let first = demote((HOT, &last.hot), (WARM, &last.warm), &item::items(&last.hot)[1]);
        let ids: Vec<String> =
            demoted_link::links(HOT, &first.hot).into_iter().map(|link| link.id).collect();
        assert_eq!(ids, [first.id.as_str(), last.id.as_str()]);
        // A link below the heading of an item belongs to the item and moves with it.
        let items = demoted_items(&first.warm);
        let item = items.iter().find(|item| item.id == first.id).unwrap();
        assert!(item.text(&first.warm).contains(&below.id), "{}", first.warm);
    }

    #[test]
    fn an_edited_item_comes_back_as_it_is_now() {
        let hot = "## One\nold\n## Two\n";
        let moved = demote((HOT, hot), (WARM, ""), &item::items(hot)[0]);
        let edited = moved.warm.replace("old", "new");
        let back = promote((HOT, &moved.hot), &edited, &demoted_items(&edited)[0]);
        assert_eq!(back.hot, "## One\nnew\n## Two\n");
        let without_link = "## Two\n";
        let back = promote((HOT, without_link), &edited, &demoted_items(&edited)[0]);
        assert_eq!((back.hot.as_str(), back.is_at_link), ("## Two\n\n## One\nnew\n", false));
    }

    #[test]
    fn damaged_comments_are_left_out() {
        for text in [
            "<!-- demoted: 1 from a.md; line breaks 1 1 0 -->\n## x\n",
            "<!-- demoted: 1 from a.md -->\n## x\n<!-- /demoted: 1 -->\n",
            "<!-- demoted: 1 from a.md; line breaks 9 1 0 -->\n## x\n<!-- /demoted: 1 -->\n",
            "<!-- demoted: ",
        ] {
            assert_eq!(demoted_items(text), [], "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_item_of_any_text_comes_back(
            hot in "(#{1,3} [a-c\\[\\]`*]{1,3}(\r\n|\n)|[-a-z>]{0,4}(\r\n|\n)|\n|<!-- demoted: [ab] -->\n|```\n){1,14}[a-c]{0,2}\r?",
            warm in "([#a-c]{0,3}(\r\n|\n)){0,4}[a-c]{0,2}\r?",
            number in 0_usize..9,
        ) {
            if !item::items(&hot).is_empty() {
                let (_, back) = there_and_back(&hot, &warm, number);
                prop_assert_eq!(back.hot, hot);
                prop_assert_eq!(back.warm, warm);
            }
        }

        #[test]
        fn several_items_come_back_in_any_order(
            hot in "(## [a-c]{1,2}\n([a-c]{0,3}\n){0,3}){2,4}",
            numbers in (0_usize..4, 0_usize..4),
            order in any::<bool>(),
        ) {
            let items = item::items(&hot);
            let first = demote((HOT, &hot), (WARM, "w"), &items[numbers.0 % items.len()]);
            let items = item::items(&first.hot);
            let item = &items[numbers.1 % items.len()];
            let second = demote((HOT, &first.hot), (WARM, &first.warm), item);
            let mut ids = vec![first.id, second.id];
            if order {
                ids.reverse();
            }
            let (mut hot_text, mut warm_text) = (second.hot, second.warm);
            for id in ids {
                let items = demoted_items(&warm_text);
                let item = items.iter().find(|item| item.id == id).unwrap();
                let back = promote((HOT, &hot_text), &warm_text, item);
                (hot_text, warm_text) = (back.hot, back.warm);
            }
            prop_assert_eq!(hot_text, hot);
            prop_assert_eq!(warm_text, "w");
        }
    }
}
