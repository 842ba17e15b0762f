//! Parallel work: on scoped threads, and in a server on threads that wait for it.
//!
//! A command forks a few times at most, and most commands not at all. Measured on two busy cores, the first fork of a
//! process takes a pool of threads (rayon) 0.5 ms, because it starts the pool, and a scoped thread 0.25 ms; later ones
//! take a scoped thread 0.12 ms. So only a process that answers many requests keeps threads, and only for computations
//! that take less than starting one: what waits for git or for a file would keep them from others.

mod waiting_threads;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use waiting_threads::WaitingThreads;

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

/// How much work a closure is, which decides where it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Less than it takes to wake a thread.
    Tiny,
    /// Less than it takes to start a thread: worth waking one that waits for work.
    Short,
    /// The same, but its result is needed after that of other short work.
    ShortAndLater,
    /// More than it takes to start a thread, or it waits for files or programs.
    Long,
}

impl Work {
    /// Returns `Long` or `Tiny`.
    pub fn long_if(is_long: bool) -> Self {
        if is_long { Work::Long } else { Work::Tiny }
    }

    /// Returns how much work a number of items is: from `short` items on it is short, and from `long` items on long.
    pub fn of(items: usize, short: usize, long: usize) -> Self {
        match items {
            items if items >= long => Work::Long,
            items if items >= short => Work::Short,
            _ => Work::Tiny,
        }
    }
}

/// Starts threads that wait for short work, for a process that answers many requests or reads a large index.
pub fn keep_threads_waiting() {
    WaitingThreads::start();
}

/// Runs two closures and returns both results. Depending on how much work the first one is, it runs on another thread.
pub fn join<A: Send, B>(
    work: Work,
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B,
) -> (A, B) {
    match (work, WaitingThreads::get()) {
        (Work::Long, _) => join_on_new_thread(first, second),
        (Work::Short | Work::ShortAndLater, Some(threads)) => {
            threads.join(work == Work::ShortAndLater, first, second)
        }
        _ => (first(), second()),
    }
}

/// Maps items of short work and keeps their order: on the threads that wait for it, if there are any.
pub fn map_short<T: Sync, U: Send>(
    items: &[T],
    min_per_thread: usize,
    map_item: &(impl Fn(&T) -> U + Sync),
) -> Vec<U> {
    if items.len() < 2 * min_per_thread.max(1) || WaitingThreads::get().is_none() {
        return items.iter().map(map_item).collect();
    }
    let (left, right) = items.split_at(items.len() / 2);
    let (mut mapped, right) = join(
        Work::Short,
        || map_short(left, min_per_thread, map_item),
        || map_short(right, min_per_thread, map_item),
    );
    mapped.extend(right);
    mapped
}

fn join_on_new_thread<A: Send, B>(
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B,
) -> (A, B) {
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
        for work in [Work::Tiny, Work::Short, Work::ShortAndLater, Work::Long] {
            assert_eq!(join(work, || 1 + 1, || "two"), (2, "two"));
        }
    }

    #[test]
    fn short_work_is_shared_with_waiting_threads() {
        keep_threads_waiting();
        /// Adds the numbers of a range, each half on another thread.
        fn sum(from: u64, to: u64) -> u64 {
            let middle = u64::midpoint(from, to);
            if middle == from {
                return from;
            }
            let (first, second) = join(Work::Short, || sum(from, middle), || sum(middle, to));
            first + second
        }
        let of_each_thread: Vec<u64> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| sum(0, 2_000))).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        assert_eq!(of_each_thread, [1_999_000; 4]);
    }

    #[test]
    fn a_panic_of_either_closure_is_passed_on() {
        keep_threads_waiting();
        for work in [Work::Tiny, Work::Short, Work::ShortAndLater, Work::Long] {
            for panics in 0..2 {
                let run = move |number| assert!(number != panics, "closure {number}");
                let joined = std::panic::catch_unwind(|| join(work, || run(0), || run(1)));
                assert!(joined.is_err(), "{work:?} {panics}");
            }
        }
        assert_eq!(join(Work::Short, || 1, || 2), (1, 2));
    }

    #[test]
    fn map_keeps_the_order_with_any_number_of_threads() {
        keep_threads_waiting();
        for count in [0, 1, 2, 7, 5_000] {
            let numbers: Vec<usize> = (0..count).collect();
            let double = |number: &usize| number * 2;
            for min_per_thread in [0, 1, 3, 1_000_000] {
                for doubled in [
                    map(&numbers, min_per_thread, double),
                    map_short(&numbers, min_per_thread, &double),
                ] {
                    assert!(doubled.iter().copied().eq((0..count).map(|number| number * 2)));
                }
            }
        }
    }
}
