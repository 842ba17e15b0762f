//! Finds statements that say the same in nearly the same words.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::statement::{ComparableText, ComparableWord};

/// The share of common words from which two statements with equal guards are the same.
pub const DEFAULT_DUPLICATE_SIMILARITY: f64 = 0.6;

/// The most words that each of two statements may have and the other not.
const MAX_OTHER_WORDS: usize = 3;

/// The fewest common words of two statements of which one only adds words.
const MIN_COMMON_WORDS: usize = 3;

/// The fewest common words of two statements that each have words of their own.
const MIN_COMMON_WORDS_IF_BOTH_DIFFER: usize = 5;

/// The fewest common words of two statements of which one adds a name.
const MIN_COMMON_WORDS_IF_NAMED: usize = 6;

/// The least cosine of two words that stand in place of each other.
const MIN_NEARNESS_IN_PLACE: f32 = 0.15;

/// A longer text is the same as another only if it has the same words, in words.
const MAX_ALIGNED_WORDS: usize = 160;

/// Most statements that are compared because they share a rare word, for each word.
const MAX_SHARING_A_WORD: usize = 400;

/// Most statements of a group.
const MAX_GROUP: usize = 16;

/// Returns how near two words are in meaning: the cosine of their vectors.
pub type WordNearness<'n> = &'n dyn Fn(&str, &str) -> f32;

/// Returns the share of common words of two texts that say the same; `None` if they do not: if a number, a version, a unit,
/// a negation, an identifier, a span of code or the modality differs, or if a word stands in place of another one that does
/// not mean nearly the same.
pub fn duplicate_similarity(
    a: &ComparableText,
    b: &ComparableText,
    nearness: WordNearness<'_>,
) -> Option<f64> {
    if a.guards != b.guards {
        return None;
    }
    // A longest common subsequence is not unique, and the result must not depend on the order.
    let order = |text: &ComparableText| {
        text.words.iter().map(|word| word.lower.clone()).collect::<Vec<_>>()
    };
    let (a, b) = if order(a) <= order(b) { (a, b) } else { (b, a) };
    let (only_a, only_b, common) = compare_words(a, b);
    let others = only_a.len() + only_b.len();
    if common + others == 0 {
        let same =
            a.words.iter().map(|word| &word.lower).eq(b.words.iter().map(|word| &word.lower));
        return same.then_some(1.0);
    }
    if !has_same_order_of_names(a, b) {
        return None;
    }
    if others > 0 {
        let is_long = a.words.len().max(b.words.len()) > MAX_ALIGNED_WORDS;
        if is_long || only_a.len().max(only_b.len()) > MAX_OTHER_WORDS {
            return None;
        }
        let both_differ = !only_a.is_empty() && !only_b.is_empty();
        let min_common = match both_differ {
            true => MIN_COMMON_WORDS_IF_BOTH_DIFFER,
            false => MIN_COMMON_WORDS,
        };
        let is_named = |words: &[&ComparableWord]| words.iter().any(|word| word.is_name);
        let has_opposite = |words: &[&ComparableWord]| words.iter().any(|word| word.is_opposite);
        if common < min_common
            || (is_named(&only_a) && is_named(&only_b))
            || ((is_named(&only_a) || is_named(&only_b)) && common < MIN_COMMON_WORDS_IF_NAMED)
            || (has_opposite(&only_a) && has_opposite(&only_b))
        {
            return None;
        }
        if both_differ && !replaces_only_near_words(a, b, &only_a, &only_b, nearness) {
            return None;
        }
    }
    Some(common as f64 / (common + others) as f64)
}

/// Returns the words of each text that the other does not have, and the number of common ones.
fn compare_words<'t>(
    a: &'t ComparableText,
    b: &'t ComparableText,
) -> (Vec<&'t ComparableWord>, Vec<&'t ComparableWord>, usize) {
    let sorted = |text: &'t ComparableText| {
        let mut words: Vec<&ComparableWord> =
            text.words.iter().filter(|word| word.stem.is_some()).collect();
        words.sort_by(|a, b| a.stem.cmp(&b.stem));
        words
    };
    let (words_a, words_b) = (sorted(a), sorted(b));
    let (mut only_a, mut only_b, mut common) = (vec![], vec![], 0);
    let (mut at_a, mut at_b) = (0, 0);
    loop {
        match (words_a.get(at_a), words_b.get(at_b)) {
            (Some(one), Some(other)) if one.stem == other.stem => {
                common += 1;
                at_a += 1;
                at_b += 1;
            }
            (Some(one), Some(other)) if one.stem < other.stem => {
                only_a.push(*one);
                at_a += 1;
            }
            (Some(one), None) => {
                only_a.push(*one);
                at_a += 1;
            }
            (_, Some(other)) => {
                only_b.push(*other);
                at_b += 1;
            }
            (None, None) => return (only_a, only_b, common),
        }
    }
}

/// Returns whether the names that both texts have stand in the same order: to replace A with B is not to replace B with A.
fn has_same_order_of_names(a: &ComparableText, b: &ComparableText) -> bool {
    let names = |text: &ComparableText, other: &ComparableText| -> Vec<String> {
        let is_shared = |word: &&ComparableWord| {
            (word.is_name || word.stem.is_none())
                && other.words.iter().any(|shared| shared.lower == word.lower && shared.is_name)
        };
        let names = text.words.iter().filter(|word| word.is_name).filter(is_shared);
        names.map(|word| word.lower.clone()).collect()
    };
    names(a, b) == names(b, a)
}

/// Returns whether words that stand in place of each other mean nearly the same.
fn replaces_only_near_words(
    a: &ComparableText,
    b: &ComparableText,
    only_a: &[&ComparableWord],
    only_b: &[&ComparableWord],
    nearness: WordNearness<'_>,
) -> bool {
    let is_of = |word: &&ComparableWord, list: &[&ComparableWord]| {
        list.iter().any(|other| std::ptr::eq(*other, *word) || other.stem == word.stem)
    };
    replaced_parts(&a.words, &b.words).into_iter().all(|(part_a, part_b)| {
        let here_a: Vec<&ComparableWord> =
            part_a.iter().filter(|word| is_of(word, only_a)).collect();
        let here_b: Vec<&ComparableWord> =
            part_b.iter().filter(|word| is_of(word, only_b)).collect();
        let nearest = here_a
            .iter()
            .flat_map(|a| here_b.iter().map(|b| nearness(&a.lower, &b.lower)))
            .fold(None, |best: Option<f32>, one| Some(best.map_or(one, |best| best.max(one))));
        nearest.is_none_or(|nearest| nearest >= MIN_NEARNESS_IN_PLACE)
    })
}

/// Returns the parts of two texts that stand in place of each other between the words of a longest common subsequence.
fn replaced_parts<'w>(
    a: &'w [ComparableWord],
    b: &'w [ComparableWord],
) -> Vec<(&'w [ComparableWord], &'w [ComparableWord])> {
    let columns = b.len() + 1;
    let mut lengths = vec![0u16; (a.len() + 1) * columns];
    for at_a in (0..a.len()).rev() {
        for at_b in (0..b.len()).rev() {
            lengths[at_a * columns + at_b] = match a[at_a].lower == b[at_b].lower {
                true => lengths[(at_a + 1) * columns + at_b + 1] + 1,
                false => {
                    lengths[(at_a + 1) * columns + at_b].max(lengths[at_a * columns + at_b + 1])
                }
            };
        }
    }
    let mut parts = Vec::new();
    let (mut at_a, mut at_b) = (0, 0);
    let (mut start_a, mut start_b) = (0, 0);
    loop {
        let is_end = at_a == a.len() || at_b == b.len();
        if is_end || a[at_a].lower == b[at_b].lower {
            let (end_a, end_b) = if is_end { (a.len(), b.len()) } else { (at_a, at_b) };
            if end_a > start_a && end_b > start_b {
                parts.push((&a[start_a..end_a], &b[start_b..end_b]));
            }
            if is_end {
                return parts;
            }
            (at_a, at_b) = (at_a + 1, at_b + 1);
            (start_a, start_b) = (at_a, at_b);
        } else if lengths[(at_a + 1) * columns + at_b] >= lengths[at_a * columns + at_b + 1] {
            at_a += 1;
        } else {
            at_b += 1;
        }
    }
}

/// Statements that say the same, by their numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct DuplicateGroup {
    /// The members, in order.
    pub members: Vec<usize>,
    /// The least similarity of two of them.
    pub similarity: f64,
}

/// Finds the duplicates among many statements, without comparing each with each: only those with equal guards that share
/// one of their rarest words are compared.
#[derive(Debug, Default)]
pub struct DuplicateFinder {
    /// The number of each stem.
    numbers: HashMap<String, u32>,
    /// In how many statements each stem occurs.
    counts: Vec<u32>,
    statements: Vec<IndexedStatement>,
}

/// What is kept of a statement until all are known.
#[derive(Debug)]
struct IndexedStatement {
    /// A hash of the guards and of what else must be equal.
    block: u64,
    /// The numbers of its stems, sorted.
    stems: Vec<u32>,
}

impl DuplicateFinder {
    /// Adds a statement, which gets the next number. Only statements with an equal `scope` can be duplicates.
    pub fn add(&mut self, scope: &impl Hash, text: &str) {
        let text = ComparableText::new(text);
        let mut hasher = DefaultHasher::new();
        scope.hash(&mut hasher);
        text.guards.hash(&mut hasher);
        let mut stems: Vec<u32> = Vec::new();
        for stem in text.stems() {
            let next = self.numbers.len() as u32;
            stems.push(match self.numbers.get(stem) {
                Some(number) => *number,
                None => {
                    self.numbers.insert(stem.to_owned(), next);
                    self.counts.push(0);
                    next
                }
            });
        }
        stems.sort_unstable();
        stems.dedup();
        stems.iter().for_each(|stem| self.counts[*stem as usize] += 1);
        stems.shrink_to_fit();
        self.statements.push(IndexedStatement { block: hasher.finish(), stems });
    }

    /// Returns the groups of duplicates. `text` returns the text of a statement by its number.
    pub fn find<'t>(
        mut self,
        threshold: f64,
        text: impl Fn(usize) -> &'t str,
        nearness: WordNearness<'_>,
    ) -> Vec<DuplicateGroup> {
        self.number_by_rarity();
        let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
        let mut sharing: HashMap<(u64, u32), Vec<u32>> = HashMap::new();
        let mut seen: Vec<u32> = Vec::new();
        for (number, statement) in self.statements.iter().enumerate() {
            seen.clear();
            // Two sets that share a part of their words share one of the rarest of each.
            let needed = (threshold * statement.stems.len() as f64).ceil() as usize;
            let rarest = statement.stems.len() + 1 - needed.clamp(1, statement.stems.len().max(1));
            let keys: Vec<u32> = match statement.stems.is_empty() {
                true => vec![u32::MAX],
                false => statement.stems.iter().take(rarest).copied().collect(),
            };
            for stem in keys {
                let others = sharing.entry((statement.block, stem)).or_default();
                seen.extend(others.iter().rev().take(MAX_SHARING_A_WORD));
                others.push(number as u32);
            }
            seen.sort_unstable();
            seen.dedup();
            let mut compared: Option<ComparableText> = None;
            for other in &seen {
                let other = *other as usize;
                if share_of_common(&statement.stems, &self.statements[other].stems) + 1e-9
                    < threshold
                {
                    continue;
                }
                let this = compared.get_or_insert_with(|| ComparableText::new(text(number)));
                let similarity =
                    duplicate_similarity(this, &ComparableText::new(text(other)), nearness);
                if let Some(similarity) = similarity.filter(|it| *it + 1e-9 >= threshold) {
                    pairs.push((similarity, other, number));
                }
            }
        }
        group(pairs)
    }

    /// Numbers the stems by how rare they are, so that the first ones of a statement are its rarest.
    fn number_by_rarity(&mut self) {
        let mut order: Vec<u32> = (0..self.counts.len() as u32).collect();
        order.sort_unstable_by_key(|stem| (self.counts[*stem as usize], *stem));
        let mut ranks = vec![0u32; order.len()];
        order.iter().enumerate().for_each(|(rank, stem)| ranks[*stem as usize] = rank as u32);
        for statement in &mut self.statements {
            statement.stems.iter_mut().for_each(|stem| *stem = ranks[*stem as usize]);
            statement.stems.sort_unstable();
        }
        self.numbers = HashMap::new();
    }
}

fn share_of_common(a: &[u32], b: &[u32]) -> f64 {
    let (mut at_a, mut at_b, mut common) = (0, 0, 0usize);
    while let (Some(one), Some(other)) = (a.get(at_a), b.get(at_b)) {
        common += usize::from(one == other);
        at_a += usize::from(one <= other);
        at_b += usize::from(other <= one);
    }
    let all = a.len() + b.len() - common;
    if all == 0 { 1.0 } else { common as f64 / all as f64 }
}

/// Groups pairs, the most similar first. A statement joins a group only if it is a duplicate of every member.
fn group(mut pairs: Vec<(f64, usize, usize)>) -> Vec<DuplicateGroup> {
    let similarity_of: HashMap<(usize, usize), f64> =
        pairs.iter().map(|(similarity, a, b)| ((*a, *b), *similarity)).collect();
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut group_of: HashMap<usize, usize> = HashMap::new();
    let mut groups: Vec<DuplicateGroup> = Vec::new();
    for (similarity, a, b) in pairs {
        let (of_a, of_b) = (group_of.get(&a).copied(), group_of.get(&b).copied());
        let (group, new) = match (of_a, of_b) {
            (None, None) => {
                groups.push(DuplicateGroup { members: vec![a, b], similarity });
                group_of.extend([(a, groups.len() - 1), (b, groups.len() - 1)]);
                continue;
            }
            (Some(group), None) => (group, b),
            (None, Some(group)) => (group, a),
            (Some(_), Some(_)) => continue,
        };
        let members = &groups[group].members;
        let pair = |member: &usize| similarity_of.get(&(new.min(*member), new.max(*member)));
        let similarities: Option<Vec<f64>> = members.iter().map(|it| pair(it).copied()).collect();
        if let Some(similarities) = similarities.filter(|all| all.len() < MAX_GROUP) {
            let least = similarities.into_iter().fold(groups[group].similarity, f64::min);
            groups[group].members.push(new);
            groups[group].similarity = least;
            group_of.insert(new, group);
        }
    }
    groups.iter_mut().for_each(|group| group.members.sort_unstable());
    groups.sort_by(|a, b| a.members.cmp(&b.members));
    groups
}
