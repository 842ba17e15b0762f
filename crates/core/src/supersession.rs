//! Which decision replaced which.
//!
//! Many records state the link on one side only, so the relation is the union of the links in the old
//! and the new records.

use std::collections::{BTreeSet, HashMap};

use schemars::JsonSchema;
use serde::Serialize;

use crate::adr::{self, Adr, LinkTarget, Status};
use crate::{cycles, path};

/// The supersession relation over a set of records.
#[derive(Debug)]
pub struct Supersession<'a> {
    adrs: &'a [Adr],
    by_path: HashMap<&'a str, usize>,
    by_number: HashMap<u32, Vec<usize>>,
    /// Records by file name without the extension, in lower case.
    by_stem: HashMap<String, Vec<usize>>,
    /// Records by the names that links use, in lower case.
    by_alias: HashMap<String, Vec<usize>>,
    predecessors: Vec<BTreeSet<usize>>,
    successors: Vec<BTreeSet<usize>>,
    /// Pairs (new, old) stated by the new record.
    stated_by_new: BTreeSet<(usize, usize)>,
    /// Pairs (new, old) stated by the old record.
    stated_by_old: BTreeSet<(usize, usize)>,
}

/// The replacement of one record by another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SupersessionLink {
    /// The index of the new record.
    pub new: usize,
    /// The index of the old record, which is replaced.
    pub old: usize,
    /// Whether the new record states the link.
    pub is_stated_by_new: bool,
    /// Whether the old record states the link.
    pub is_stated_by_old: bool,
}

/// A record in a chain of replacements.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Ancestor {
    /// The id.
    pub id: String,
    /// The title.
    pub title: String,
    /// The status.
    pub status: Status,
    /// The path of the file.
    pub path: String,
    /// The number of steps from the newest record. The record that replaced this one is the nearest one
    /// before it in the list with a depth smaller by one.
    pub depth: usize,
    /// Whether the chain returns to this record, so that it is not followed further.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cycle: bool,
    /// Whether the record is earlier in this list, so that it is not followed again.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub repeated: bool,
}

impl<'a> Supersession<'a> {
    /// Derives the relation from the links of the records.
    pub fn new(adrs: &'a [Adr]) -> Self {
        let mut by_number: HashMap<u32, Vec<usize>> = HashMap::new();
        let mut by_stem: HashMap<String, Vec<usize>> = HashMap::new();
        let mut by_alias: HashMap<String, Vec<usize>> = HashMap::new();
        for (index, adr) in adrs.iter().enumerate() {
            if let Some(number) = adr.number {
                by_number.entry(number).or_default().push(index);
            }
            by_stem.entry(adr::adr_name(&adr.path).to_lowercase()).or_default().push(index);
            for alias in adr::record_aliases(adr) {
                by_alias.entry(alias).or_default().push(index);
            }
        }
        let by_path = adrs.iter().enumerate().map(|(index, adr)| (adr.path.as_str(), index));
        let mut relation = Self {
            adrs,
            by_path: by_path.collect(),
            by_number,
            by_stem,
            by_alias,
            predecessors: vec![BTreeSet::new(); adrs.len()],
            successors: vec![BTreeSet::new(); adrs.len()],
            stated_by_new: BTreeSet::new(),
            stated_by_old: BTreeSet::new(),
        };
        for index in 0..adrs.len() {
            relation.add_links(index);
        }
        relation
    }

    /// Adds the links that a record states.
    fn add_links(&mut self, index: usize) {
        for target in &self.adrs[index].supersedes {
            if let Some(old) = self.find(index, target) {
                self.link(index, old);
                self.stated_by_new.insert((index, old));
            }
        }
        for target in &self.adrs[index].superseded_by {
            if let Some(new) = self.find(index, target) {
                self.link(new, index);
                self.stated_by_old.insert((new, index));
            }
        }
    }

    fn link(&mut self, new: usize, old: usize) {
        self.predecessors[new].insert(old);
        self.successors[old].insert(new);
    }

    /// Finds the record that a target means: the linked file, or a matching record in the same folder,
    /// or the only matching record.
    fn find(&self, from: usize, target: &LinkTarget) -> Option<usize> {
        let from_path = &self.adrs[from].path;
        let linked_path =
            target.href.as_deref().and_then(|href| path::resolve_link(from_path, href));
        if let Some(index) = linked_path.and_then(|path| self.index_of_path(&path)) {
            return Some(index);
        }
        let is_match = |index: &usize| adr::target_matches(target, &self.adrs[*index]);
        let matches: Vec<usize> = match target.number {
            Some(number) => self.indexes_with_number(number).filter(is_match).collect(),
            None => {
                let aliases = adr::target_aliases(target);
                let candidates: BTreeSet<usize> = aliases
                    .filter_map(|alias| self.by_alias.get(&alias))
                    .flatten()
                    .copied()
                    .collect();
                candidates.into_iter().filter(is_match).collect()
            }
        };
        let in_same_folder =
            |index: &usize| path::folder(&self.adrs[*index].path) == path::folder(from_path);
        matches.iter().copied().find(in_same_folder).or(match matches.as_slice() {
            [only] => Some(*only),
            _ => None,
        })
    }

    /// Returns the indexes of the records without a known status that no record replaces.
    pub fn indexes_without_status(&self) -> impl Iterator<Item = usize> + '_ {
        let is_unknown = |index: &usize| self.adrs[*index].status == Status::Unknown;
        (0..self.adrs.len()).filter(is_unknown).filter(|index| self.successors[*index].is_empty())
    }

    /// Returns the index of the record at a path.
    pub fn index_of_path(&self, path: &str) -> Option<usize> {
        self.by_path.get(path).copied()
    }

    /// Returns the indexes of the records with a number.
    pub fn indexes_with_number(&self, number: u32) -> impl Iterator<Item = usize> + '_ {
        self.by_number.get(&number).into_iter().flatten().copied()
    }

    /// Returns the indexes of the records with this file name, without its extension.
    pub fn indexes_with_stem(&self, stem: &str) -> &[usize] {
        self.by_stem.get(&stem.to_lowercase()).map_or(&[], Vec::as_slice)
    }

    /// Returns the indexes of the records that this one replaced directly.
    pub fn predecessors(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        self.predecessors[index].iter().copied()
    }

    /// Returns the indexes of the records that replaced this one directly.
    pub fn successors(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        self.successors[index].iter().copied()
    }

    /// Returns whether `new` replaced `old`, directly or through other records.
    pub fn is_descendant(&self, new: usize, old: usize) -> bool {
        let mut seen = BTreeSet::new();
        let mut to_visit = vec![new];
        while let Some(index) = to_visit.pop() {
            for predecessor in self.predecessors(index) {
                if predecessor == old {
                    return true;
                }
                if seen.insert(predecessor) {
                    to_visit.push(predecessor);
                }
            }
        }
        false
    }

    /// Returns whether a decision is in force: accepted and not replaced.
    pub fn is_in_force(&self, index: usize) -> bool {
        self.adrs[index].status == Status::Accepted && !self.is_replaced(index)
    }

    /// Returns whether a decision that took effect replaced this one, whatever its own status says. A
    /// record that is superseded in part counts as not replaced.
    pub fn is_replaced(&self, index: usize) -> bool {
        !self.adrs[index].is_partly_superseded
            && self.successors(index).any(|new| self.adrs[new].status.has_taken_effect())
    }

    /// Returns every link.
    pub fn links(&self) -> impl Iterator<Item = SupersessionLink> + '_ {
        self.stated_by_new.union(&self.stated_by_old).map(|pair| SupersessionLink {
            new: pair.0,
            old: pair.1,
            is_stated_by_new: self.stated_by_new.contains(pair),
            is_stated_by_old: self.stated_by_old.contains(pair),
        })
    }

    /// Returns every cycle once, starting at its smallest index.
    pub fn cycles(&self) -> Vec<Vec<usize>> {
        cycles::find_cycles(self.adrs.len(), |index| self.predecessors(index).collect())
    }

    /// Returns the chains that a record is in, each starting at its newest record.
    pub fn history(&self, index: usize) -> Vec<Vec<Ancestor>> {
        let mut newest = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut to_visit = vec![index];
        while let Some(index) = to_visit.pop() {
            if !seen.insert(index) {
                continue;
            }
            if self.successors[index].is_empty() {
                newest.insert(index);
            }
            to_visit.extend(self.successors(index));
        }
        // In a cycle, no record is the newest.
        if newest.is_empty() {
            newest.insert(index);
        }
        newest.into_iter().map(|index| self.chain(index)).collect()
    }

    /// Returns a record and everything that it replaced, depth first.
    fn chain(&self, newest: usize) -> Vec<Ancestor> {
        let mut chain = Vec::new();
        let mut successors: Vec<usize> = Vec::new();
        let mut seen = BTreeSet::new();
        let mut to_visit = vec![(newest, 0)];
        while let Some((index, depth)) = to_visit.pop() {
            successors.truncate(depth);
            let cycle = successors.contains(&index);
            let repeated = !seen.insert(index) && !cycle && !self.predecessors[index].is_empty();
            if !cycle && !repeated {
                to_visit.extend(self.predecessors[index].iter().rev().map(|&old| (old, depth + 1)));
            }
            successors.push(index);
            let Adr { id, title, status, path, .. } = self.adrs[index].clone();
            chain.push(Ancestor { id, title, status, path, depth, cycle, repeated });
        }
        chain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adrs(texts: &[(&str, &str)]) -> Vec<Adr> {
        texts
            .iter()
            .map(|(number, yaml)| {
                adr::read(&format!("adrs/ADR-{number}-x.md"), &format!("---\n{yaml}\n---\n# T\n"))
            })
            .collect()
    }

    fn format_chain(chain: &[Ancestor]) -> String {
        let format_one = |ancestor: &Ancestor| {
            format!(
                "{}{}{}",
                ancestor.depth,
                if ancestor.cycle { "!" } else { ":" },
                ancestor.id.trim_start_matches("ADR-")
            )
        };
        chain.iter().map(format_one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn links_are_read_from_either_record() {
        let adrs = adrs(&[
            ("1", "status: superseded\nsuperseded_by: ADR-2"),
            ("2", "status: accepted"),
            ("3", "status: accepted\nsupersedes: [ADR-2]"),
        ]);
        let relation = Supersession::new(&adrs);
        assert_eq!(
            relation.history(0).iter().map(|chain| format_chain(chain)).collect::<Vec<_>>(),
            ["0:3 1:2 2:1"]
        );
        assert_eq!((relation.is_in_force(1), relation.is_in_force(2)), (false, true));
        assert!(relation.is_descendant(2, 0) && !relation.is_descendant(0, 2));
    }

    #[test]
    fn a_link_tells_which_record_states_it() {
        let adrs = adrs(&[
            ("1", "status: accepted"),
            ("2", "status: accepted\nsupersedes: ADR-1"),
            ("3", "status: superseded\nsuperseded_by: ADR-2"),
            ("4", "status: superseded\nsuperseded_by: ADR-5"),
            ("5", "status: accepted\nsupersedes: [ADR-4]"),
            ("6", "status: partially superseded by ADR-5"),
        ]);
        let relation = Supersession::new(&adrs);
        let links: Vec<_> = relation
            .links()
            .map(|link| (link.new, link.old, link.is_stated_by_new, link.is_stated_by_old))
            .collect();
        assert_eq!(
            links,
            [(1, 0, true, false), (1, 2, false, true), (4, 3, true, true), (4, 5, false, true)]
        );
        assert!(relation.is_replaced(0) && !relation.is_replaced(5));
        assert!(relation.is_in_force(5), "a decision that is superseded in part is still in force");
    }

    #[test]
    fn histories_handle_branches_and_cycles() {
        let branched = adrs(&[
            ("1", "status: accepted"),
            ("2", "status: accepted\nsupersedes: ADR-1"),
            ("3", "status: accepted\nsupersedes: [ADR-1]"),
        ]);
        assert_eq!(Supersession::new(&branched).history(0).len(), 2);
        let circular = adrs(&[
            ("1", "supersedes: ADR-2"),
            ("2", "supersedes: ADR-1"),
            ("3", "supersedes: ADR-9"),
        ]);
        let relation = Supersession::new(&circular);
        assert_eq!(relation.cycles(), [vec![0, 1]]);
        assert_eq!(
            relation.history(0).iter().map(|chain| format_chain(chain)).collect::<Vec<_>>(),
            ["0:1 1:2 2!1"]
        );
        assert_eq!(relation.predecessors(2).count(), 0, "a link to a missing record is ignored");
    }
}
