//! Threads that wait for short computations.
//!
//! Waking a thread takes some ten microseconds, on a virtual machine up to a hundred, and so does being woken at the end.
//! So a thread looks for more work for a while before it sleeps, the one that asks does not sleep at all, and it takes
//! back what no thread has begun: asking costs little even if all threads are busy. A pool as general as rayon's sleeps at
//! once where the asking thread is not part of it.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use std::{hint, thread};

use super::processors;

/// How long a thread looks for more work before it sleeps: about the time between two computations of one request.
const SEARCH_TIME: Duration = Duration::from_micros(200);

/// How long a job that can wait is left in the queue, for jobs that are asked for after it and needed before.
const DEFERRAL: Duration = Duration::from_micros(50);

/// How often the end of a computation is awaited in a loop before other threads get the processor.
const SPINS_BEFORE_YIELD: usize = 1_000;

/// A queue of jobs, and the threads that run them.
#[derive(Default)]
pub(super) struct WaitingThreads {
    queue: Mutex<Queue>,
    /// The number of queued jobs, to look for one without the lock.
    queued: AtomicUsize,
    job_arrived: Condvar,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<QueuedJob>,
    sleeping_threads: usize,
}

/// A pointer to a [`Job`] on the stack of the thread that asks.
struct QueuedJob {
    job: *const (),
    run: unsafe fn(*const ()),
    /// When it may be begun while no other job is queued, if it can wait.
    deferred_until: Option<Instant>,
}

// SAFETY: the closure and the result of a job are `Send`, and everything else in it is synchronised.
unsafe impl Send for QueuedJob {}

/// A computation and its result.
struct Job<F, A> {
    closure: Mutex<Option<F>>,
    result: Mutex<Option<thread::Result<A>>>,
    is_done: AtomicBool,
}

static THREADS: OnceLock<WaitingThreads> = OnceLock::new();

impl WaitingThreads {
    /// Starts the threads of the process, one for each further processor, if it has none yet.
    pub(super) fn start() {
        // The thread that asks computes as well.
        let others = processors() - 1;
        if others == 0 || THREADS.set(WaitingThreads::default()).is_err() {
            return;
        }
        for _ in 0..others {
            super::in_background(|| THREADS.get().into_iter().for_each(WaitingThreads::work));
        }
    }

    /// Returns the threads of the process, if they were started.
    pub(super) fn get() -> Option<&'static Self> {
        THREADS.get()
    }

    /// Runs two closures, the first one on a waiting thread if one begins it before the second one is done. If the first
    /// one can wait, what the second one asks for comes before it.
    pub(super) fn join<A: Send, B, F: FnOnce() -> A + Send>(
        &self,
        can_wait: bool,
        first: F,
        second: impl FnOnce() -> B,
    ) -> (A, B) {
        let job = Job {
            closure: Mutex::new(Some(first)),
            result: Mutex::new(None),
            is_done: AtomicBool::new(false),
        };
        let asked = self.ask(&job, can_wait);
        let second = second();
        drop(asked);
        if let Some(closure) = lock(&job.closure).take() {
            return (closure(), second);
        }
        let result = lock(&job.result).take();
        match result {
            Some(Ok(first)) => (first, second),
            Some(Err(panic)) => resume_unwind(panic),
            None => unreachable!("a closure that was taken has run"),
        }
    }

    /// Queues a job until the returned value is dropped.
    fn ask<'j, F, A>(&'j self, job: &'j Job<F, A>, can_wait: bool) -> Asked<'j>
    where
        F: FnOnce() -> A + Send,
        A: Send,
    {
        let pointer: *const () = (&raw const *job).cast();
        let deferred_until = can_wait.then(|| Instant::now() + DEFERRAL);
        let mut queue = lock(&self.queue);
        queue.jobs.push_back(QueuedJob { job: pointer, run: run::<F, A>, deferred_until });
        self.queued.store(queue.jobs.len(), Ordering::Release);
        let wakes = queue.sleeping_threads > 0;
        drop(queue);
        if wakes {
            self.job_arrived.notify_one();
        }
        Asked { threads: self, job: pointer, is_done: &job.is_done }
    }

    /// Runs jobs for ever.
    fn work(&self) {
        loop {
            let QueuedJob { job, run, .. } = self.next_job();
            // SAFETY: `ask` queued the job with the function for its type. The job exists until `is_done` is set, since
            // the thread that owns it takes it from the queue, which fails now, or waits.
            unsafe { run(job) };
        }
    }

    fn next_job(&self) -> QueuedJob {
        let mut searched_since = Instant::now();
        loop {
            if self.queued.load(Ordering::Acquire) > 0 {
                if let Some(job) = self.pop() {
                    return job;
                }
            } else if searched_since.elapsed() >= SEARCH_TIME {
                self.sleep();
                searched_since = Instant::now();
            }
            hint::spin_loop();
        }
    }

    /// Waits until a job is queued.
    fn sleep(&self) {
        let mut queue = lock(&self.queue);
        queue.sleeping_threads += 1;
        while queue.jobs.is_empty() {
            queue = self.job_arrived.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
        queue.sleeping_threads -= 1;
    }

    /// Takes the first job that cannot wait from the queue, or else one that has waited.
    fn pop(&self) -> Option<QueuedJob> {
        let mut queue = lock(&self.queue);
        let now = Instant::now();
        let is_due = |job: &QueuedJob| job.deferred_until.is_some_and(|until| until <= now);
        let urgent = queue.jobs.iter().position(|job| job.deferred_until.is_none());
        let position = urgent.or_else(|| queue.jobs.iter().position(is_due))?;
        let job = queue.jobs.remove(position);
        self.queued.store(queue.jobs.len(), Ordering::Release);
        job
    }

    /// Removes a job from the queue. Returns false if a thread has begun it.
    fn take_back(&self, job: *const ()) -> bool {
        let mut queue = lock(&self.queue);
        let position = queue.jobs.iter().rposition(|queued| std::ptr::eq(queued.job, job));
        let removed = position.and_then(|position| queue.jobs.remove(position));
        self.queued.store(queue.jobs.len(), Ordering::Release);
        removed.is_some()
    }
}

/// Runs a job.
///
/// # Safety
///
/// The pointer must be to a `Job<F, A>` that exists until `is_done` is set.
unsafe fn run<F: FnOnce() -> A, A>(job: *const ()) {
    // SAFETY: the caller guarantees the type and the lifetime.
    let job = unsafe { &*job.cast::<Job<F, A>>() };
    let closure = lock(&job.closure).take();
    let result = closure.map(|closure| catch_unwind(AssertUnwindSafe(closure)));
    *lock(&job.result) = result;
    // The job may cease to exist from here on.
    job.is_done.store(true, Ordering::Release);
}

/// A job that other threads may run. When dropped, it is in no queue any more and no thread is running it.
struct Asked<'j> {
    threads: &'j WaitingThreads,
    job: *const (),
    is_done: &'j AtomicBool,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        if self.threads.take_back(self.job) {
            return;
        }
        let mut spins = 0;
        while !self.is_done.load(Ordering::Acquire) {
            if spins < SPINS_BEFORE_YIELD {
                spins += 1;
                hint::spin_loop();
            } else {
                thread::yield_now();
            }
        }
    }
}

/// Locks a mutex. No closure runs while one is locked, so none is poisoned.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
