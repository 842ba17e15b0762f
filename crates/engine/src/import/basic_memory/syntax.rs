//! What an item of a note's list says.

/// An item of a list.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// Something that is known.
    Observation(Observation),
    /// How the note is related to another.
    Relation(Stated),
    /// It stands among observations or relations and is none; with how to write one.
    Unread(&'static str),
    /// An item as in any text.
    Prose,
}

/// Something that is known.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::import) struct Observation {
    pub(super) category: Option<String>,
    /// What it says, its context included and the tags at its end left out.
    pub(super) text: String,
    pub(super) tags: Vec<String>,
}

/// A relation as it is written.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Stated {
    pub(super) words: String,
    pub(super) target: String,
    pub(super) context: String,
}

/// Reads an item under a heading.
pub(super) fn read(item: &str, under: &str) -> Item {
    let (in_observations, in_relations) = (under == "observations", under == "relations");
    if let Some(stated) = relation(item, in_relations) {
        return Item::Relation(stated);
    }
    if in_relations {
        return Item::Unread("write it as `- relation_type [[Target]]`");
    }
    match observation(item, in_observations) {
        Some(observation) => Item::Observation(observation),
        None if in_observations => Item::Unread("write it as `- [category] text`"),
        None => Item::Prose,
    }
}

/// Reads `[category] text #tag (context)`. Without a category it takes a tag, or a place among
/// observations, to be one.
pub(in crate::import) fn observation(item: &str, among_others: bool) -> Option<Observation> {
    let (category, said) = match item.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        _ if item.starts_with("[[") => (None, item),
        Some((name, rest)) if is_category(name) && rest.starts_with(char::is_whitespace) => {
            (Some(name.trim().to_owned()), rest.trim())
        }
        Some((mark, _)) if is_task_mark(mark) => return None,
        Some((name, rest)) if name.trim().is_empty() => (None, rest.trim()),
        _ => (None, item),
    };
    let tags = said.split_whitespace().filter(|word| is_tag(word));
    let tags: Vec<String> = tags
        .flat_map(|word| word.split('#'))
        .filter(|tag| !tag.is_empty())
        .map(clean_tag)
        .collect();
    let text = without_last_tags(said);
    let is_one = category.is_some() || among_others || !tags.is_empty();
    (is_one && !text.is_empty()).then_some(Observation { category, text, tags })
}

/// Reads `relation_type [[Target]] (context)`. Several words name a relation only in quotes, or
/// among other relations.
fn relation(item: &str, among_others: bool) -> Option<Stated> {
    let (words, rest) = item.split_once("[[")?;
    let (target, after) = rest.split_once("]]")?;
    let words = words.trim();
    let quoted =
        ['"', '\''].iter().find_map(|quote| words.strip_prefix(*quote)?.strip_suffix(*quote));
    let words = match quoted {
        Some(quoted) => quoted.trim(),
        None if among_others || !words.contains(char::is_whitespace) => words.trim_end_matches(':'),
        None => return None,
    };
    let after = after.trim();
    let context = match after.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(context) => context.trim(),
        None if after.is_empty() || among_others => after,
        None => return None,
    };
    let target = target.split(['|', '#']).next().unwrap_or(target).trim();
    let is_one = !words.is_empty() && !words.starts_with('[') && !target.is_empty();
    is_one.then(|| Stated {
        words: words.to_owned(),
        target: target.to_owned(),
        context: context.to_owned(),
    })
}

/// A mark of a task (`x`, `>`) and a time (`00:12:30`) are no categories.
fn is_category(name: &str) -> bool {
    let is_time = name.contains(':') && !name.contains(char::is_alphabetic);
    !name.trim().is_empty() && !name.contains(['[', '(', ')']) && !is_task_mark(name) && !is_time
}

fn is_task_mark(mark: &str) -> bool {
    let mut chars = mark.chars();
    let first = chars.next();
    chars.next().is_none() && first.is_some_and(|c| matches!(c, 'x' | 'X') || !c.is_alphanumeric())
}

fn is_tag(word: &str) -> bool {
    word.strip_prefix('#').is_some_and(|tag| tag.starts_with(char::is_alphanumeric))
}

fn clean_tag(tag: &str) -> String {
    tag.trim_end_matches([',', '.', ';', ')']).to_owned()
}

/// Tags in a sentence are words of it; those at its end are not, whether a context follows or not.
fn without_last_tags(said: &str) -> String {
    let context = said.strip_suffix(')').and_then(|_| said.rfind('(')).unwrap_or(said.len());
    let (sentence, context) = said.split_at(context);
    let mut sentence = sentence.trim_end();
    while let Some(last) = sentence.split_whitespace().next_back().filter(|word| is_tag(word)) {
        sentence = sentence[..sentence.len() - last.len()].trim_end();
    }
    if sentence.is_empty() {
        context.to_owned()
    } else {
        format!("{sentence} {context}").trim().to_owned()
    }
}

/// Returns as many whole sentences as fit, or else as many words.
pub(super) fn first_sentences(text: &str, most: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(most) else { return text.to_owned() };
    let head = &text[..end];
    let sentence = [". ", "! ", "? "].iter().filter_map(|stop| head.rfind(stop)).max();
    match sentence {
        Some(at) => head[..=at].to_owned(),
        None => format!("{}…", head.rfind(' ').map_or(head, |at| &head[..at])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observed(item: &str) -> Option<(Option<String>, String, Vec<String>)> {
        observation(item, false).map(|found| (found.category, found.text, found.tags))
    }

    #[test]
    fn observations() {
        let some = |category: Option<&str>, text: &str, tags: &[&str]| {
            let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
            Some((category.map(str::to_owned), text.to_owned(), tags))
        };
        assert_eq!(
            observed("[tip] Warm the cup #brewing #heat (from the barista)"),
            some(Some("tip"), "Warm the cup (from the barista)", &["brewing", "heat"])
        );
        assert_eq!(
            observed("Use #rust here #a#b"),
            some(None, "Use #rust here", &["rust", "a", "b"])
        );
        assert_eq!(observed("[x] done #later"), None);
        assert_eq!(observed("[00:12:30] hello"), None);
        assert_eq!(observed("[text](url)"), None);
        assert_eq!(observed("[[Link]]"), None);
        assert_eq!(observed("[a] "), None);
        assert_eq!(observation("plain", true).map(|found| found.text), Some("plain".into()));
    }

    #[test]
    fn relations() {
        let stated = |words: &str, target: &str, context: &str| {
            Some(Stated { words: words.into(), target: target.into(), context: context.into() })
        };
        assert_eq!(
            relation("requires [[Grinder#setup|it]] (daily)", false),
            stated("requires", "Grinder", "daily")
        );
        assert_eq!(relation("\"runs on\" [[Disk]]", false), stated("runs on", "Disk", ""));
        assert_eq!(relation("runs on [[Disk]]", true), stated("runs on", "Disk", ""));
        assert_eq!(relation("see also [[Disk]]", false), None);
        assert_eq!(relation("uses [[A]] and [[B]]", false), None);
        assert_eq!(relation("[decision] [[A]]", true), None);
        assert_eq!(relation("[[A]]", true), None);
    }

    #[test]
    fn prose_ends_with_a_sentence() {
        assert_eq!(first_sentences("One. Two. Three", 9), "One.");
        assert_eq!(first_sentences("One two three", 9), "One two…");
        assert_eq!(first_sentences("ééééé", 3), "ééé…");
        assert_eq!(first_sentences("Short", 9), "Short");
    }
}
