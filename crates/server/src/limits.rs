//! Bounds on what one process does at once, so that many requests wait for each other instead of filling memory.

use heirloom_engine::{Effect, Op};
use tokio::sync::{Semaphore, SemaphorePermit};

/// Operations that read and run at once. Each may hold all memories in memory.
const MAX_PARALLEL_READS: usize = 2;

/// Operations that write and run at once. They wait for the lock of the workspace anyway, perhaps for another
/// process, so they have slots of their own and do not hold up those that read.
const MAX_PARALLEL_WRITES: usize = 2;

/// Operations that run at once.
pub(crate) const MAX_PARALLEL_OPERATIONS: usize = MAX_PARALLEL_READS + MAX_PARALLEL_WRITES;

static READS: Semaphore = Semaphore::const_new(MAX_PARALLEL_READS);
static WRITES: Semaphore = Semaphore::const_new(MAX_PARALLEL_WRITES);

/// The permission to run something; dropping it lets the next one run.
pub(crate) type Slot = Option<SemaphorePermit<'static>>;

/// Waits until an operation may run.
pub(crate) async fn wait_for_slot(op: &Op) -> Slot {
    match op.spec.effect {
        Effect::Reads => acquire(&READS).await,
        Effect::Writes | Effect::Removes => acquire(&WRITES).await,
    }
}

/// Waits for a slot; `None` only if the semaphore were closed, which never happens.
pub(crate) async fn acquire(slots: &'static Semaphore) -> Slot {
    slots.acquire().await.ok()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Condvar, Mutex};

    use heirloom_engine::{Error, Scope, Session, ops};
    use serde_json::json;

    use super::*;
    use crate::{SessionOpener, SharedOpener, call, runtime};

    /// Counts the operations that run. None of them ends before the gate is open.
    #[derive(Default)]
    struct CountingOpener {
        running: AtomicUsize,
        max_running: AtomicUsize,
        ended: AtomicUsize,
        is_open: Mutex<bool>,
        gate: Condvar,
    }

    impl SessionOpener for CountingOpener {
        fn open(&self, _: Scope) -> Result<Session, Error> {
            let running = self.running.fetch_add(1, Ordering::SeqCst) + 1;
            self.max_running.fetch_max(running, Ordering::SeqCst);
            let closed = |is_open: &mut bool| !*is_open;
            drop(self.gate.wait_while(self.is_open.lock().unwrap(), closed).unwrap());
            self.running.fetch_sub(1, Ordering::SeqCst);
            self.ended.fetch_add(1, Ordering::SeqCst);
            Err(Error::bad_input("there is no workspace in this test"))
        }

        fn try_open(&self) -> Option<Session> {
            None
        }
    }

    /// Starts requests until each runs or waits, lets them end, and returns the most that ran at once.
    async fn most_at_once(operation: &str, requests: usize, slots: &Semaphore) -> usize {
        let op = ops::by_name(operation).unwrap();
        let counter = Arc::new(CountingOpener::default());
        let open: SharedOpener = counter.clone();
        let started: Vec<_> = (0..requests)
            .map(|_| {
                let open = open.clone();
                tokio::spawn(
                    async move { call(&open, &Arc::default(), op, json!({}), |_| ()).await },
                )
            })
            .collect();
        // The runtime has one thread, so every request has been polled when this continues.
        tokio::task::yield_now().await;
        let free_slots = slots.available_permits();
        *counter.is_open.lock().unwrap() = true;
        counter.gate.notify_all();
        for request in started {
            assert!(request.await.unwrap().is_err());
        }
        assert_eq!(free_slots, 0, "{operation} runs without a slot");
        assert_eq!(counter.ended.load(Ordering::SeqCst), requests);
        counter.max_running.load(Ordering::SeqCst)
    }

    #[test]
    fn few_operations_run_at_once_and_all_are_answered() {
        runtime().unwrap().block_on(async {
            let reads = most_at_once("memory_query", 100, &READS).await;
            let writes = most_at_once("memory_store", 100, &WRITES).await;
            assert!((1..=MAX_PARALLEL_READS).contains(&reads), "{reads} reads");
            assert!((1..=MAX_PARALLEL_WRITES).contains(&writes), "{writes} writes");
        });
    }
}
