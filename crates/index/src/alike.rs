//! Terms that differ by a slip of the finger.

use std::collections::BTreeMap;

use heirloom_core::recall::{Corpus, Posting};

use crate::view::View;

/// A shorter term is too near to others to be a slip.
const SHORTEST: usize = 4;

/// Returns the terms that were probably meant: one letter too many, too few, wrong or swapped, two
/// in a long word; what most memories hold comes first.
pub(crate) fn alike(view: &View<'_>, term: &str) -> Vec<String> {
    let typed: Vec<char> = term.chars().collect();
    if typed.len() < SHORTEST || typed.iter().any(char::is_ascii_digit) {
        return vec![];
    }
    let most = if typed.len() >= 8 { 2 } else { 1 };
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    view.each_term(|other, _| {
        // Hardly anybody slips on the first letter.
        let is_near = other.len().abs_diff(term.len()) <= most
            && other.chars().next() == typed.first().copied();
        if is_near && let Some(slips) = slips(&typed, other, most) {
            found.insert(other.to_owned(), slips);
        }
    });
    let mut held: Vec<(usize, std::cmp::Reverse<usize>, String)> = Vec::new();
    for (other, slips) in found {
        let mut postings: Vec<Posting> = Vec::new();
        view.postings(&other, &mut postings);
        if !postings.is_empty() {
            held.push((slips, std::cmp::Reverse(postings.len()), other));
        }
    }
    held.sort();
    held.into_iter().map(|(_, _, other)| other).collect()
}

/// Returns how many slips lead from one word to another, if they are no more than some.
fn slips(typed: &[char], other: &str, most: usize) -> Option<usize> {
    let other: Vec<char> = other.chars().collect();
    let mut before: Vec<usize> = vec![];
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, a) in typed.iter().enumerate() {
        let mut next = vec![at + 1];
        for (to, b) in other.iter().enumerate() {
            let mut least = (row[to] + usize::from(a != b)).min(row[to + 1] + 1).min(next[to] + 1);
            if at > 0 && to > 0 && *a == other[to - 1] && typed[at - 1] == *b {
                least = least.min(before[to - 1] + 1);
            }
            next.push(least);
        }
        if next.iter().min().is_none_or(|least| *least > most) {
            return None;
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().filter(|slips| (1..=most).contains(slips))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_counted() {
        let count = |a: &str, b: &str| slips(&a.chars().collect::<Vec<_>>(), b, 2);
        assert_eq!(count("postgers", "postgres"), Some(1));
        assert_eq!(count("cache", "cach"), Some(1));
        assert_eq!(count("kubernets", "kubernetes"), Some(1));
        assert_eq!(count("redis", "sqlite"), None);
        assert_eq!(count("same", "same"), None);
    }
}
