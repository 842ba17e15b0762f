//! Which decision replaced which, read from both sides.
//!
//! Most folders write the link on one side only, so the relation is the union of what the old and
//! the new record say.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::adr::{self, Adr, Status, Target};

/// The supersession relation over a set of records.
#[derive(Debug)]
pub struct Supersession<'a> {
    adrs: &'a [Adr],
    predecessors: Vec<BTreeSet<usize>>,
    successors: Vec<BTreeSet<usize>>,
    /// Links whose target is no record here: which record, and what it names.
    pub dangling: Vec<(usize, Target)>,
}

/// A record and the records it replaced.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Ancestry {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its state.
    pub status: Status,
    /// Its file.
    pub path: String,
    /// Whether the chain comes back here, so that it is not followed further.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cycle: bool,
    /// Whether it was shown before under the same head, so that it is not followed again.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub repeated: bool,
    /// What it replaced.
    pub supersedes: Vec<Ancestry>,
}

impl<'a> Supersession<'a> {
    /// Reads the relation.
    pub fn new(adrs: &'a [Adr]) -> Self {
        let mut relation =
            Self { adrs, predecessors: vec![BTreeSet::new(); adrs.len()], successors: vec![BTreeSet::new(); adrs.len()], dangling: Vec::new() };
        for (at, record) in adrs.iter().enumerate() {
            for target in &record.supersedes {
                match relation.find(at, target) {
                    Some(old) => relation.link(at, old),
                    None => relation.dangling.push((at, target.clone())),
                }
            }
            for target in &record.superseded_by {
                match relation.find(at, target) {
                    Some(new) => relation.link(new, at),
                    None => relation.dangling.push((at, target.clone())),
                }
            }
        }
        relation
    }

    fn link(&mut self, new: usize, old: usize) {
        self.predecessors[new].insert(old);
        self.successors[old].insert(new);
    }

    /// A file name decides, then the number in the same folder, then a number that only one record
    /// has.
    fn find(&self, from: usize, target: &Target) -> Option<usize> {
        let folder = |path: &str| path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        let home = folder(&self.adrs[from].path);
        let matches: Vec<usize> = (0..self.adrs.len()).filter(|&at| adr::names(target, &self.adrs[at])).collect();
        let by_file = matches.iter().find(|&&at| {
            let file = self.adrs[at].path.rsplit('/').next();
            target.href.as_deref().is_some_and(|href| href.rsplit('/').next() == file && folder(&self.adrs[at].path) == home)
        });
        let in_folder: Vec<usize> = matches.iter().copied().filter(|&at| folder(&self.adrs[at].path) == home).collect();
        by_file.copied().or(in_folder.first().copied()).or(match matches.as_slice() {
            [one] => Some(*one),
            _ => None,
        })
    }

    /// Returns the records, by position, that this one replaced directly.
    pub fn predecessors(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        self.predecessors[at].iter().copied()
    }

    /// Returns the records, by position, that replaced this one directly.
    pub fn successors(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        self.successors[at].iter().copied()
    }

    /// Returns whether one record comes after another in a chain, however far.
    pub fn descends(&self, new: usize, old: usize) -> bool {
        let mut seen = BTreeSet::new();
        let mut open = vec![new];
        while let Some(at) = open.pop() {
            for next in self.predecessors(at) {
                if next == old {
                    return true;
                }
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
        false
    }

    /// Returns whether a decision is in force: accepted, and not replaced by one that is accepted.
    pub fn in_force(&self, at: usize) -> bool {
        self.adrs[at].status == Status::Accepted
            && !self.successors(at).any(|new| matches!(self.adrs[new].status, Status::Accepted | Status::Superseded | Status::Deprecated))
    }

    /// Returns every cycle, each once, from its first record on.
    pub fn cycles(&self) -> Vec<Vec<usize>> {
        let mut found: BTreeSet<Vec<usize>> = BTreeSet::new();
        for start in 0..self.adrs.len() {
            let mut path = vec![start];
            self.cycles_from(start, start, &mut path, &mut BTreeSet::new(), &mut found);
        }
        found.into_iter().collect()
    }

    /// Looks for a way back to `start` over records that come after it, so that each cycle is
    /// found from its smallest member only.
    fn cycles_from(&self, start: usize, at: usize, path: &mut Vec<usize>, seen: &mut BTreeSet<usize>, found: &mut BTreeSet<Vec<usize>>) {
        for next in self.predecessors(at) {
            if next == start {
                found.insert(path.clone());
            } else if next > start && seen.insert(next) {
                path.push(next);
                self.cycles_from(start, next, path, seen, found);
                path.pop();
            }
        }
    }

    /// Returns the newest records of the chains that this one is in, each with all that it
    /// replaced.
    pub fn history(&self, at: usize) -> Vec<Ancestry> {
        let mut heads = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut open = vec![at];
        while let Some(at) = open.pop() {
            if !seen.insert(at) {
                continue;
            }
            if self.successors[at].is_empty() {
                heads.insert(at);
            }
            open.extend(self.successors(at));
        }
        if heads.is_empty() {
            heads.insert(at);
        }
        heads.into_iter().map(|head| self.ancestry(head, &mut Vec::new(), &mut BTreeSet::new())).collect()
    }

    fn ancestry(&self, at: usize, above: &mut Vec<usize>, shown: &mut BTreeSet<usize>) -> Ancestry {
        let adr = &self.adrs[at];
        let cycle = above.contains(&at);
        let repeated = !shown.insert(at) && !cycle && !self.predecessors[at].is_empty();
        above.push(at);
        let supersedes = match cycle || repeated {
            true => vec![],
            false => self.predecessors(at).map(|old| self.ancestry(old, above, shown)).collect(),
        };
        above.pop();
        Ancestry { id: adr.id.clone(), title: adr.title.clone(), status: adr.status, path: adr.path.clone(), cycle, repeated, supersedes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adrs(texts: &[(&str, &str)]) -> Vec<Adr> {
        texts.iter().map(|(number, front)| adr::read(&format!("adrs/ADR-{number}-x.md"), &format!("---\n{front}\n---\n# T\n"))).collect()
    }

    fn ids(ancestry: &Ancestry) -> String {
        let inner: Vec<String> = ancestry.supersedes.iter().map(ids).collect();
        format!("{}{}({})", ancestry.id.trim_start_matches("ADR-"), if ancestry.cycle { "!" } else { "" }, inner.join(","))
    }

    #[test]
    fn a_chain_is_read_from_either_side() {
        let adrs = adrs(&[("1", "status: superseded\nsuperseded_by: ADR-2"), ("2", "status: accepted"), ("3", "status: accepted\nsupersedes: [ADR-2]")]);
        let relation = Supersession::new(&adrs);
        assert_eq!(relation.history(0).iter().map(ids).collect::<Vec<_>>(), ["3(2(1()))"]);
        assert_eq!((relation.in_force(1), relation.in_force(2)), (false, true));
        assert!(relation.descends(2, 0) && !relation.descends(0, 2));
    }

    #[test]
    fn branches_and_cycles() {
        let branched = adrs(&[("1", "status: accepted"), ("2", "status: accepted\nsupersedes: ADR-1"), ("3", "status: accepted\nsupersedes: [ADR-1]")]);
        assert_eq!(Supersession::new(&branched).history(0).len(), 2);
        let circular = adrs(&[("1", "supersedes: ADR-2"), ("2", "supersedes: ADR-1"), ("3", "supersedes: ADR-9")]);
        let relation = Supersession::new(&circular);
        assert_eq!(relation.cycles(), [vec![0, 1]]);
        assert_eq!(relation.history(0).iter().map(ids).collect::<Vec<_>>(), ["1(2(1!()))"]);
        assert_eq!(relation.dangling.len(), 1);
    }
}
