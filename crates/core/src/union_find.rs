//! Union-find: groups positions that are joined directly or through others.

/// A union-find structure over positions. The smallest position represents its group.
#[derive(Debug, Default)]
pub struct UnionFind {
    parents: Vec<usize>,
}

impl UnionFind {
    /// Creates an empty structure with room for some positions.
    pub fn with_capacity(positions: usize) -> Self {
        UnionFind { parents: Vec::with_capacity(positions) }
    }

    /// Adds a position that is alone in its group, and returns it.
    pub fn add(&mut self) -> usize {
        self.parents.push(self.parents.len());
        self.parents.len() - 1
    }

    /// Returns the smallest position in the group of a position.
    pub fn find(&mut self, mut position: usize) -> usize {
        while self.parents[position] != position {
            self.parents[position] = self.parents[self.parents[position]];
            position = self.parents[position];
        }
        position
    }

    /// Joins the groups of two positions.
    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.parents[a.max(b)] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_position_represents_a_group() {
        let mut groups = UnionFind::with_capacity(5);
        let positions: Vec<usize> = (0..5).map(|_| groups.add()).collect();
        groups.join(4, 2);
        groups.join(3, 4);
        groups.join(1, 1);
        let found: Vec<usize> = positions.into_iter().map(|at| groups.find(at)).collect();
        assert_eq!(found, [0, 1, 2, 2, 2]);
    }
}
