//! Which decision replaced which, read from both sides.
//!
//! Most folders write the link on one side only, so the relation is the union of what the old and
//! the new record say.

use std::collections::{BTreeSet, HashMap};

use schemars::JsonSchema;
use serde::Serialize;

use crate::adr::{self, Adr, Status, Target};
use crate::{cycles, path};

/// The supersession relation over a set of records.
#[derive(Debug)]
pub struct Supersession<'a> {
    adrs: &'a [Adr],
    by_path: HashMap<&'a str, usize>,
    by_number: HashMap<u32, Vec<usize>>,
    /// Records by the name of their file without its ending, in lower case.
    by_stem: HashMap<String, Vec<usize>>,
    /// The records by what a target may call them, in small letters.
    by_name: HashMap<String, Vec<usize>>,
    predecessors: Vec<BTreeSet<usize>>,
    successors: Vec<BTreeSet<usize>>,
    /// Pairs (new, old) that the new record states.
    stated_by_new: BTreeSet<(usize, usize)>,
    /// Pairs (new, old) that the old record states.
    stated_by_old: BTreeSet<(usize, usize)>,
    /// Links whose target is no record here: which record, and what it names.
    pub dangling: Vec<(usize, Target)>,
}

/// One record replacing another, and which of the two states it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// The position of the record that replaces.
    pub new: usize,
    /// The position of the record that is replaced.
    pub old: usize,
    /// Whether the new record states it.
    pub is_stated_by_new: bool,
    /// Whether the old record states it.
    pub is_stated_by_old: bool,
}

/// A record in the history of another, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Ancestor {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its state.
    pub status: Status,
    /// Its file.
    pub path: String,
    /// How many steps it lies behind the newest; the record that replaced it is the nearest one
    /// before it with a depth one smaller.
    pub depth: usize,
    /// Whether the chain comes back here, so that it is not followed further.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cycle: bool,
    /// Whether it was shown before in this chain, so that it is not followed again.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub repeated: bool,
}

impl<'a> Supersession<'a> {
    /// Reads the relation.
    pub fn new(adrs: &'a [Adr]) -> Self {
        let mut by_number: HashMap<u32, Vec<usize>> = HashMap::new();
        for (at, adr) in adrs.iter().enumerate() {
            by_number.entry(adr.number.unwrap_or(u32::MAX)).or_default().push(at);
        }
        let mut by_stem: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, adr) in adrs.iter().enumerate() {
            by_stem.entry(adr::name_of(&adr.path).to_lowercase()).or_default().push(at);
        }
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, adr) in adrs.iter().enumerate() {
            for name in adr::names_of_record(adr) {
                by_name.entry(name).or_default().push(at);
            }
        }
        let mut relation = Self {
            adrs,
            by_name,
            by_path: adrs.iter().enumerate().map(|(at, adr)| (adr.path.as_str(), at)).collect(),
            by_number,
            by_stem,
            predecessors: vec![BTreeSet::new(); adrs.len()],
            successors: vec![BTreeSet::new(); adrs.len()],
            stated_by_new: BTreeSet::new(),
            stated_by_old: BTreeSet::new(),
            dangling: Vec::new(),
        };
        for (at, record) in adrs.iter().enumerate() {
            for target in &record.supersedes {
                match relation.find(at, target) {
                    Some(old) => {
                        relation.link(at, old);
                        relation.stated_by_new.insert((at, old));
                    }
                    None => relation.dangling.push((at, target.clone())),
                }
            }
            for target in &record.superseded_by {
                match relation.find(at, target) {
                    Some(new) => {
                        relation.link(new, at);
                        relation.stated_by_old.insert((new, at));
                    }
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

    /// The file that a link leads to decides, then the same folder, then a name that only one
    /// record has.
    fn find(&self, from: usize, target: &Target) -> Option<usize> {
        let home = &self.adrs[from].path;
        let linked = target.href.as_deref().and_then(|href| path::joined(home, href));
        if let Some(at) = linked.and_then(|linked| self.at_path(&linked)) {
            return Some(at);
        }
        let matches: Vec<usize> = match target.number {
            Some(number) => {
                self.numbered(number).filter(|&at| adr::names(target, &self.adrs[at])).collect()
            }
            None => {
                let names = adr::names_of_target(target);
                let may_be_meant = names.filter_map(|name| self.by_name.get(&name)).flatten();
                let may_be_meant: BTreeSet<usize> = may_be_meant.copied().collect();
                may_be_meant.into_iter().filter(|&at| adr::names(target, &self.adrs[at])).collect()
            }
        };
        let beside = matches
            .iter()
            .copied()
            .find(|&at| path::folder(&self.adrs[at].path) == path::folder(home));
        beside.or(match matches.as_slice() {
            [one] => Some(*one),
            _ => None,
        })
    }

    /// Returns the records, by position, that state no status that is known and that nothing replaced.
    pub fn without_status(&self) -> impl Iterator<Item = usize> + '_ {
        let is_unknown = |at: &usize| self.adrs[*at].status == Status::Unknown;
        (0..self.adrs.len()).filter(is_unknown).filter(|at| self.successors[*at].is_empty())
    }

    /// Returns the record in a file, by position.
    pub fn at_path(&self, path: &str) -> Option<usize> {
        self.by_path.get(path).copied()
    }

    /// Returns the records with a number, by position.
    pub fn numbered(&self, number: u32) -> impl Iterator<Item = usize> + '_ {
        self.by_number.get(&number).into_iter().flatten().copied()
    }

    /// Returns the records whose file has this name without its ending, by position.
    pub fn with_stem(&self, stem: &str) -> &[usize] {
        self.by_stem.get(&stem.to_lowercase()).map_or(&[], Vec::as_slice)
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
        self.adrs[at].status == Status::Accepted && !self.is_replaced(at)
    }

    /// Returns whether a decision that took effect replaced this one, whatever its own status says.
    /// A record that says it is superseded in part still holds.
    pub fn is_replaced(&self, at: usize) -> bool {
        !self.adrs[at].is_partly_superseded
            && self.successors(at).any(|new| self.adrs[new].status.took_effect())
    }

    /// Returns every link with which of its records state it.
    pub fn links(&self) -> impl Iterator<Item = Link> + '_ {
        self.stated_by_new.union(&self.stated_by_old).map(|pair| Link {
            new: pair.0,
            old: pair.1,
            is_stated_by_new: self.stated_by_new.contains(pair),
            is_stated_by_old: self.stated_by_old.contains(pair),
        })
    }

    /// Returns every cycle, each once, from its first record on.
    pub fn cycles(&self) -> Vec<Vec<usize>> {
        cycles::find(self.adrs.len(), |at| self.predecessors(at).collect())
    }

    /// Returns the chains that a record is in, each from its newest record down.
    pub fn history(&self, at: usize) -> Vec<Vec<Ancestor>> {
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
        heads.into_iter().map(|head| self.chain(head)).collect()
    }

    fn chain(&self, head: usize) -> Vec<Ancestor> {
        let mut chain = Vec::new();
        let mut above: Vec<usize> = Vec::new();
        let mut shown = BTreeSet::new();
        let mut open = vec![(head, 0)];
        while let Some((at, depth)) = open.pop() {
            above.truncate(depth);
            let cycle = above.contains(&at);
            let repeated = !shown.insert(at) && !cycle && !self.predecessors[at].is_empty();
            if !cycle && !repeated {
                open.extend(self.predecessors[at].iter().rev().map(|&old| (old, depth + 1)));
            }
            above.push(at);
            let Adr { id, title, status, path, .. } = self.adrs[at].clone();
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
            .map(|(number, front)| {
                adr::read(&format!("adrs/ADR-{number}-x.md"), &format!("---\n{front}\n---\n# T\n"))
            })
            .collect()
    }

    fn ids(chain: &[Ancestor]) -> String {
        let one = |ancestor: &Ancestor| {
            format!(
                "{}{}{}",
                ancestor.depth,
                if ancestor.cycle { "!" } else { ":" },
                ancestor.id.trim_start_matches("ADR-")
            )
        };
        chain.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_chain_is_read_from_either_side() {
        let adrs = adrs(&[
            ("1", "status: superseded\nsuperseded_by: ADR-2"),
            ("2", "status: accepted"),
            ("3", "status: accepted\nsupersedes: [ADR-2]"),
        ]);
        let relation = Supersession::new(&adrs);
        assert_eq!(
            relation.history(0).iter().map(|chain| ids(chain)).collect::<Vec<_>>(),
            ["0:3 1:2 2:1"]
        );
        assert_eq!((relation.in_force(1), relation.in_force(2)), (false, true));
        assert!(relation.descends(2, 0) && !relation.descends(0, 2));
    }

    #[test]
    fn a_link_says_which_record_states_it() {
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
        assert!(relation.in_force(5), "a decision that was superseded in part still holds");
    }

    #[test]
    fn branches_and_cycles() {
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
            relation.history(0).iter().map(|chain| ids(chain)).collect::<Vec<_>>(),
            ["0:1 1:2 2!1"]
        );
        assert_eq!(relation.dangling.len(), 1);
    }
}
