//! The names by which texts refer to memories and documents.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::LinkableMemory;
use crate::path;

/// The length of the end of an id that stands for it, in characters.
const SHORT_ID_CHARS: usize = 8;

/// The most digits of the number of a decision record.
const MAX_NUMBER_DIGITS: usize = 5;

/// Finds memories by their names. A name of several memories refers to none of them.
#[derive(Debug, Default)]
pub(super) struct NameIndex {
    numbers: FxHashMap<u32, Option<usize>>,
    names: FxHashMap<String, Option<usize>>,
    id_ends: FxHashMap<String, Option<usize>>,
}

impl NameIndex {
    pub(super) fn new(memories: &[LinkableMemory]) -> Self {
        let mut index = NameIndex::default();
        for (at, memory) in memories.iter().enumerate() {
            if let Some(number) = memory.number {
                add(&mut index.numbers, number, at);
            }
            for name in &memory.names {
                let lower = name.to_lowercase();
                if is_id(&lower) {
                    add(&mut index.id_ends, lower[lower.len() - SHORT_ID_CHARS..].to_owned(), at);
                }
                add(&mut index.names, lower, at);
            }
        }
        index
    }

    /// Returns the names in a text, with the memories that they refer to.
    pub(super) fn find_all(&self, text: &str) -> Vec<(Range<usize>, usize)> {
        let mut found = self.numbered(text);
        let mut start = 0;
        for word in text.split(|c: char| !is_name_char(c)) {
            let end = start + word.len();
            let trimmed = word.trim_end_matches(['.', ':', '/', '-']);
            if let Some(target) = self.named(trimmed) {
                found.push((start..start + trimmed.len(), target));
            }
            start = end + text[end..].chars().next().map_or(0, char::len_utf8);
        }
        found.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
        found.dedup_by(|next, kept| next.0.start < kept.0.end);
        found
    }

    /// Returns the document that a link leads to, by the name of its file.
    pub(super) fn linked(&self, destination: &str) -> Option<usize> {
        let file = destination.split(['#', '?']).next()?;
        let file = path::file_name(file.trim()).to_lowercase();
        *self.names.get(&file)?
    }

    /// Returns the mentions of decision records by number: `ADR-0007`, `ADR 7`, `adr#7`.
    fn numbered(&self, text: &str) -> Vec<(Range<usize>, usize)> {
        let lower = text.to_ascii_lowercase();
        let mut found = Vec::new();
        for (start, prefix) in lower.match_indices("adr") {
            let is_inside_word = lower[..start]
                .ends_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '/'));
            let rest = &lower[start + prefix.len()..];
            let number = rest.trim_start_matches(['-', ' ', '_', '#', '\u{a0}']);
            let gap = rest.len() - number.len();
            let digits = number.bytes().take_while(u8::is_ascii_digit).count();
            let after = &number[digits..];
            let goes_on = after.starts_with(|c: char| c.is_alphanumeric())
                || after.starts_with(['-', '_']) && after[1..].starts_with(char::is_alphabetic);
            if is_inside_word || gap > 2 || goes_on || !(1..=MAX_NUMBER_DIGITS).contains(&digits) {
                continue;
            }
            let target =
                number[..digits].parse().ok().and_then(|it: u32| *self.numbers.get(&it)?);
            if let Some(target) = target {
                found.push((start..start + prefix.len() + gap + digits, target));
            }
        }
        found
    }

    fn named(&self, word: &str) -> Option<usize> {
        if word.len() < SHORT_ID_CHARS && !word.contains(['-', '/', '_']) {
            return None;
        }
        let lower = word.to_lowercase();
        let word = lower.strip_prefix("entry:").unwrap_or(&lower);
        if let Some(found) = self.names.get(word) {
            return *found;
        }
        match word.len() == SHORT_ID_CHARS && is_id(word) {
            true => *self.id_ends.get(word)?,
            false => None,
        }
    }
}

fn add<K: std::hash::Hash + Eq>(index: &mut FxHashMap<K, Option<usize>>, name: K, at: usize) {
    let known = index.entry(name).or_insert(Some(at));
    if *known != Some(at) {
        *known = None;
    }
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | '.' | ':')
}

/// Returns whether a word may be the id of a record or an entry, or its end: at least eight hexadecimal digits, and among
/// them one that is no letter, so that no word of prose is one.
fn is_id(word: &str) -> bool {
    word.len() >= SHORT_ID_CHARS
        && word.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
        && word.bytes().any(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link_discovery::LinkRole;
    use crate::record::Referent;

    fn memory(names: &[&str], number: Option<u32>) -> LinkableMemory {
        LinkableMemory {
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            number,
            ..LinkableMemory::new(Referent::document(names[0]), LinkRole::DecisionRecord, "")
        }
    }

    #[test]
    fn numbers_paths_folders_and_ids_are_names() {
        let index = NameIndex::new(&[
            memory(&["docs/adr/0007-use-etcd.md", "0007-use-etcd.md"], Some(7)),
            memory(&["0043-auth", "plans/0043-auth/0043-auth-plan.md"], None),
            memory(&["0198c0de-0000-7000-8000-00003f2a002a"], None),
            memory(&["0198c0de-0000-7000-8000-0000deadbeef"], None),
        ]);
        let found = |text: &str| -> Vec<usize> {
            index.find_all(text).into_iter().map(|(_, target)| target).collect()
        };
        assert_eq!(found("ADR-0007, ADR 7. (ADR 007) adr#7"), [0; 4]);
        assert_eq!(found("see docs/adr/0007-use-etcd.md and 0043-auth."), [0, 1]);
        assert_eq!(found("as 3f2a002a says"), [2]);
        assert_eq!(
            found("ADR-8, XADR-7, ADR-7x, adr-7-use, 043-auth, deadbeef, ADRs"),
            [0usize; 0]
        );
        let text = "follows ADR 7, which";
        assert_eq!(index.find_all(text), [(8..13, 0)]);
        assert_eq!(index.linked("../adr/0007-use-etcd.md#status"), Some(0));
    }

    #[test]
    fn a_name_of_two_documents_refers_to_neither() {
        let index =
            NameIndex::new(&[memory(&["a/x-1.md"], Some(7)), memory(&["b/x-1.md"], Some(7))]);
        assert_eq!(index.find_all("ADR-7 in a/x-1.md"), [(9..17, 0)]);
    }
}
