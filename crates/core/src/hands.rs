//! Work that is shared among the processors.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many pieces there are for each processor, so that none waits long for another.
const PIECES: usize = 8;

/// How many processors there are; the system is slow to tell.
fn processors() -> usize {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    *PROCESSORS
        .get_or_init(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get))
}

/// Turns each thing into another, in order. So many things at least are worth another hand.
pub fn map<T: Sync, U: Send>(things: &[T], least: usize, turn: impl Fn(&T) -> U + Sync) -> Vec<U> {
    let worth = things.len() / least.max(1);
    let hands = if worth < 2 { 1 } else { processors().min(worth) };
    if hands < 2 {
        return things.iter().map(turn).collect();
    }
    let pieces: Vec<&[T]> = things.chunks((things.len() / (hands * PIECES)).max(1)).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done: Vec<(usize, Vec<U>)> = Vec::new();
        while let at = next.fetch_add(1, Ordering::Relaxed)
            && let Some(piece) = pieces.get(at)
        {
            done.push((at, piece.iter().map(&turn).collect()));
        }
        done
    };
    let mut done = std::thread::scope(|scope| {
        let others: Vec<_> = (1..hands).map(|_| scope.spawn(work)).collect();
        let mut done = work();
        for other in others {
            done.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        done
    });
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().flat_map(|(_, turned)| turned).collect()
}

/// Does two things, at the same time if that is worth another hand.
pub fn both<A: Send, B>(
    is_worth_it: bool,
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B,
) -> (A, B) {
    if !is_worth_it {
        return (one(), other());
    }
    std::thread::scope(|scope| {
        let one = scope.spawn(one);
        let other = other();
        (one.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), other)
    })
}

/// Gives something back that consists of so many parts, which takes a while where there are many:
/// another hand does it then.
pub fn let_go<T: Send + 'static>(thing: T, parts: usize) {
    const MANY: usize = 10_000;
    if parts >= MANY {
        // Where there is no other hand, it was given back by the one who asked.
        drop(std::thread::Builder::new().spawn(move || drop(thing)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_things_are_done_either_way() {
        for is_worth_it in [false, true] {
            assert_eq!(both(is_worth_it, || 1 + 1, || "two"), (2, "two"));
        }
    }

    #[test]
    fn order_stays_however_many_work() {
        for count in [0, 1, 2, 7, 5_000] {
            let numbers: Vec<usize> = (0..count).collect();
            for least in [1, 1_000_000] {
                let doubled = map(&numbers, least, |number| number * 2);
                assert!(doubled.iter().copied().eq((0..count).map(|number| number * 2)));
            }
        }
    }
}
