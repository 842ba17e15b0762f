//! Cycles in a directed graph.

use std::collections::BTreeSet;

/// Returns the cycles that a depth-first search closes, each once, starting at its smallest node.
///
/// The search is not recursive, so that a long chain cannot overflow the stack.
pub(crate) fn find_cycles(
    node_count: usize,
    successors: impl Fn(usize) -> Vec<usize>,
) -> Vec<Vec<usize>> {
    let mut cycles = BTreeSet::new();
    let mut is_done = vec![false; node_count];
    let mut path_positions: Vec<Option<usize>> = vec![None; node_count];
    for start in 0..node_count {
        if is_done[start] {
            continue;
        }
        let mut path = vec![start];
        let mut to_visit = vec![successors(start)];
        path_positions[start] = Some(0);
        while let Some(children) = to_visit.last_mut() {
            match children.pop() {
                Some(child) => {
                    if let Some(position) = path_positions[child] {
                        cycles.insert(rotate_to_smallest(&path[position..]));
                    } else if !is_done[child] {
                        path_positions[child] = Some(path.len());
                        path.push(child);
                        to_visit.push(successors(child));
                    }
                }
                None => {
                    to_visit.pop();
                    if let Some(node) = path.pop() {
                        path_positions[node] = None;
                        is_done[node] = true;
                    }
                }
            }
        }
    }
    cycles.into_iter().collect()
}

fn rotate_to_smallest(cycle: &[usize]) -> Vec<usize> {
    let smallest =
        cycle.iter().enumerate().min_by_key(|(_, node)| **node).map_or(0, |(index, _)| index);
    cycle[smallest..].iter().chain(&cycle[..smallest]).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cycle_is_found_once() {
        let edges = [vec![1], vec![2, 3], vec![0], vec![4], vec![3], vec![5]];
        assert_eq!(
            find_cycles(6, |node| edges[node].clone()),
            [vec![0, 1, 2], vec![3, 4], vec![5]]
        );
    }

    #[test]
    fn a_long_chain_does_not_overflow_the_stack() {
        assert_eq!(
            find_cycles(200_000, |node| if node + 1 < 200_000 { vec![node + 1] } else { vec![] }),
            Vec::<Vec<usize>>::new()
        );
    }
}
