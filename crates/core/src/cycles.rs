//! Circles in a directed graph.

use std::collections::BTreeSet;

/// Returns the circles that a depth-first walk closes, each once, from its smallest member on.
/// The walk keeps its own stack, so a long chain cannot exhaust the thread's.
pub fn find(count: usize, next: impl Fn(usize) -> Vec<usize>) -> Vec<Vec<usize>> {
    let mut found = BTreeSet::new();
    let mut done = vec![false; count];
    let mut place_on_path: Vec<Option<usize>> = vec![None; count];
    for start in 0..count {
        if done[start] {
            continue;
        }
        let mut path = vec![start];
        let mut open = vec![next(start)];
        place_on_path[start] = Some(0);
        while let Some(children) = open.last_mut() {
            match children.pop() {
                Some(child) => {
                    if let Some(at) = place_on_path[child] {
                        found.insert(from_smallest(&path[at..]));
                    } else if !done[child] {
                        place_on_path[child] = Some(path.len());
                        path.push(child);
                        open.push(next(child));
                    }
                }
                None => {
                    open.pop();
                    if let Some(left) = path.pop() {
                        place_on_path[left] = None;
                        done[left] = true;
                    }
                }
            }
        }
    }
    found.into_iter().collect()
}

fn from_smallest(circle: &[usize]) -> Vec<usize> {
    let smallest = circle.iter().enumerate().min_by_key(|(_, node)| **node).map_or(0, |(at, _)| at);
    circle[smallest..].iter().chain(&circle[..smallest]).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_circle_once() {
        let edges = [vec![1], vec![2, 3], vec![0], vec![4], vec![3], vec![5]];
        assert_eq!(find(6, |node| edges[node].clone()), [vec![0, 1, 2], vec![3, 4], vec![5]]);
    }

    #[test]
    fn a_long_chain_is_walked() {
        assert_eq!(
            find(200_000, |node| if node + 1 < 200_000 { vec![node + 1] } else { vec![] }),
            Vec::<Vec<usize>>::new()
        );
    }
}
