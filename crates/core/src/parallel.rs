//! Parallel work on scoped threads.
//!
//! Not rayon: a command forks a few times at most, and most commands not at all. Measured on two busy cores, the first
//! join of a process takes rayon 0.5 ms, because it starts its pool, and a scoped thread 0.25 ms; only later joins are
//! cheaper with rayon (0.02 ms against 0.12 ms). Its `join` also wants both closures to be `Send`, which those that use
//! a session are not, and threads that wait for git or for a file would block its pool.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many chunks each thread gets on average: several, so that all threads finish at about the same time.
const CHUNKS_PER_THREAD: usize = 8;

/// Returns the number of processors, cached because the system call is slow.
pub fn processors() -> usize {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    *PROCESSORS
        .get_or_init(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get))
}

/// Maps items in parallel and keeps their order. A thread is only started for at least `min_per_thread` items.
pub fn map<T: Sync, U: Send>(
    items: &[T],
    min_per_thread: usize,
    map_item: impl Fn(&T) -> U + Sync,
) -> Vec<U> {
    let useful_threads = items.len() / min_per_thread.max(1);
    // Asks for the number of processors only if it matters.
    let threads = if useful_threads < 2 { 1 } else { processors().min(useful_threads) };
    if threads < 2 {
        return items.iter().map(map_item).collect();
    }
    let chunks: Vec<&[T]> =
        items.chunks((items.len() / (threads * CHUNKS_PER_THREAD)).max(1)).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done: Vec<(usize, Vec<U>)> = Vec::new();
        while let index = next.fetch_add(1, Ordering::Relaxed)
            && let Some(chunk) = chunks.get(index)
        {
            done.push((index, chunk.iter().map(&map_item).collect()));
        }
        done
    };
    let mut done = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut done = work();
        for other in others {
            done.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        done
    });
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().flat_map(|(_, mapped)| mapped).collect()
}

/// Runs two closures and returns both results; with `in_parallel`, the first one on another thread.
pub fn join<A: Send, B>(
    in_parallel: bool,
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B,
) -> (A, B) {
    if !in_parallel {
        return (first(), second());
    }
    std::thread::scope(|scope| {
        let first = scope.spawn(first);
        let second = second();
        (first.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), second)
    })
}

/// Drops a value; one that consists of many allocations is dropped by a background thread.
pub fn drop_in_background<T: Send + 'static>(value: T, allocations: usize) {
    const MIN_BACKGROUND_ALLOCATIONS: usize = 10_000;
    if allocations >= MIN_BACKGROUND_ALLOCATIONS {
        // If no thread can be started, the closure and with it the value is dropped here.
        in_background(move || drop(value));
    }
}

/// Runs a closure in a background thread. It does not run if no thread can be started, and may not finish before the
/// process ends.
pub fn in_background(closure: impl FnOnce() + Send + 'static) {
    drop(std::thread::Builder::new().spawn(closure));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_closures_run_in_parallel_or_not() {
        for in_parallel in [false, true] {
            assert_eq!(join(in_parallel, || 1 + 1, || "two"), (2, "two"));
        }
    }

    #[test]
    fn map_keeps_the_order_with_any_number_of_threads() {
        for count in [0, 1, 2, 7, 5_000] {
            let numbers: Vec<usize> = (0..count).collect();
            for min_per_thread in [1, 1_000_000] {
                let doubled = map(&numbers, min_per_thread, |number| number * 2);
                assert!(doubled.iter().copied().eq((0..count).map(|number| number * 2)));
            }
        }
    }
}
