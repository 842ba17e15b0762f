//! Parses the list items of a note.

/// A parsed list item.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ListItem {
    /// A fact.
    Observation(Observation),
    /// A relation to another note.
    Relation(RelationItem),
    /// An item among the relations that names no relation or no target.
    MalformedRelation,
    /// An ordinary list item.
    Prose,
}

/// A fact about the subject of a note.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::import) struct Observation {
    pub(super) category: Option<String>,
    /// The text with its context, without the tags at its end.
    pub(super) text: String,
    pub(super) tags: Vec<String>,
}

/// A relation to another note, as written.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RelationItem {
    pub(super) words: String,
    pub(super) target: String,
    pub(super) context: String,
}

/// Parses an item under a heading, which is given in lowercase.
pub(super) fn parse_item(item: &str, heading: &str) -> ListItem {
    let (in_observations, in_relations) = (heading == "observations", heading == "relations");
    if let Some(relation) = relation(item, in_relations) {
        return ListItem::Relation(relation);
    }
    if in_relations {
        return ListItem::MalformedRelation;
    }
    parse_observation(item, in_observations).map_or(ListItem::Prose, ListItem::Observation)
}

/// Parses `[category] text #tag (context)`. An item without a category is an observation only if it has a
/// tag or stands in the section of observations.
pub(in crate::import) fn parse_observation(
    item: &str,
    in_observations: bool,
) -> Option<Observation> {
    let (category, content) = match item.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        _ if item.starts_with("[[") => (None, item),
        Some((name, rest)) if is_category(name) && rest.starts_with(char::is_whitespace) => {
            (Some(name.trim().to_owned()), rest.trim())
        }
        Some((mark, _)) if is_task_mark(mark) => return None,
        Some((name, rest)) if name.trim().is_empty() => (None, rest.trim()),
        _ => (None, item),
    };
    let tags = content.split_whitespace().filter(|word| is_tag(word));
    let tags: Vec<String> = tags
        .flat_map(|word| word.split('#'))
        .filter(|tag| !tag.is_empty())
        .map(clean_tag)
        .collect();
    let text = without_trailing_tags(content);
    let is_observation = category.is_some() || in_observations || !tags.is_empty();
    (is_observation && !text.is_empty()).then_some(Observation { category, text, tags })
}

/// Parses `relation_type [[Target]] (context)`. A relation type of several words must be quoted, except in
/// the section of relations.
fn relation(item: &str, in_relations: bool) -> Option<RelationItem> {
    let (words, rest) = item.split_once("[[")?;
    let (target, after) = rest.split_once("]]")?;
    let words = words.trim();
    let quoted =
        ['"', '\''].iter().find_map(|quote| words.strip_prefix(*quote)?.strip_suffix(*quote));
    let words = match quoted {
        Some(quoted) => quoted.trim(),
        None if in_relations || !words.contains(char::is_whitespace) => words.trim_end_matches(':'),
        None => return None,
    };
    let after = after.trim();
    let context = match after.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(context) => context.trim(),
        None if after.is_empty() || in_relations => after,
        None => return None,
    };
    let target = target.split(['|', '#']).next().unwrap_or(target).trim();
    let is_relation = !words.is_empty() && !words.starts_with('[') && !target.is_empty();
    is_relation.then(|| RelationItem {
        words: words.to_owned(),
        target: target.to_owned(),
        context: context.to_owned(),
    })
}

/// Returns whether a name in brackets is a category, and not the mark of a task (`x`, `>`) or a time
/// (`00:12:30`).
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

/// Removes the tags at the end of a text, before its context. Tags within the text are kept as words.
fn without_trailing_tags(text: &str) -> String {
    let context_start = text.strip_suffix(')').and_then(|_| text.rfind('('));
    let (sentence, context) = text.split_at(context_start.unwrap_or(text.len()));
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

/// Returns as many whole sentences as fit, or words if not even one sentence fits.
pub(super) fn first_sentences(text: &str, max_chars: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(max_chars) else { return text.to_owned() };
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

    fn parts_of(item: &str) -> Option<(Option<String>, String, Vec<String>)> {
        parse_observation(item, false).map(|found| (found.category, found.text, found.tags))
    }

    #[test]
    fn observations_have_a_category_a_text_and_tags() {
        let observation_parts = |category: Option<&str>, text: &str, tags: &[&str]| {
            let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
            Some((category.map(str::to_owned), text.to_owned(), tags))
        };
        assert_eq!(
            parts_of("[tip] Warm the cup #brewing #heat (from the barista)"),
            observation_parts(Some("tip"), "Warm the cup (from the barista)", &["brewing", "heat"])
        );
        assert_eq!(
            parts_of("Use #rust here #a#b"),
            observation_parts(None, "Use #rust here", &["rust", "a", "b"])
        );
        assert_eq!(parts_of("[x] done #later"), None);
        assert_eq!(parts_of("[00:12:30] hello"), None);
        assert_eq!(parts_of("[text](url)"), None);
        assert_eq!(parts_of("[[Link]]"), None);
        assert_eq!(parts_of("[a] "), None);
        assert_eq!(parse_observation("plain", true).map(|found| found.text), Some("plain".into()));
    }

    #[test]
    fn relations_have_words_a_target_and_a_context() {
        let relation_item = |words: &str, target: &str, context: &str| {
            Some(RelationItem {
                words: words.into(),
                target: target.into(),
                context: context.into(),
            })
        };
        assert_eq!(
            relation("requires [[Grinder#setup|it]] (daily)", false),
            relation_item("requires", "Grinder", "daily")
        );
        assert_eq!(relation("\"runs on\" [[Disk]]", false), relation_item("runs on", "Disk", ""));
        assert_eq!(relation("runs on [[Disk]]", true), relation_item("runs on", "Disk", ""));
        assert_eq!(relation("see also [[Disk]]", false), None);
        assert_eq!(relation("uses [[A]] and [[B]]", false), None);
        assert_eq!(relation("[decision] [[A]]", true), None);
        assert_eq!(relation("[[A]]", true), None);
    }

    #[test]
    fn long_prose_is_cut_at_a_sentence_or_a_word() {
        assert_eq!(first_sentences("One. Two. Three", 9), "One.");
        assert_eq!(first_sentences("One two three", 9), "One two…");
        assert_eq!(first_sentences("ééééé", 3), "ééé…");
        assert_eq!(first_sentences("Short", 9), "Short");
    }
}
