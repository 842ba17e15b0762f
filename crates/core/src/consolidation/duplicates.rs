//! Finds statements that say the same in nearly the same words.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::same_statement::{WordNearness, duplicate_similarity};
use super::statement::ComparableText;

/// The share of the words of the longer statement that the other one has, too, from which two statements with equal guards
/// are the same.
pub const DEFAULT_DUPLICATE_SIMILARITY: f64 = 0.75;

/// Most statements that are compared because they share a rare word, for each word.
const MAX_SHARING_A_WORD: usize = 400;

/// Most statements of a group.
const MAX_GROUP: usize = 16;

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

/// Returns the share of the words of the larger set that the other one has, too.
fn share_of_common(a: &[u32], b: &[u32]) -> f64 {
    let (mut at_a, mut at_b, mut common) = (0, 0, 0usize);
    while let (Some(one), Some(other)) = (a.get(at_a), b.get(at_b)) {
        common += usize::from(one == other);
        at_a += usize::from(one <= other);
        at_b += usize::from(other <= one);
    }
    let most = a.len().max(b.len());
    if most == 0 { 1.0 } else { common as f64 / most as f64 }
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
