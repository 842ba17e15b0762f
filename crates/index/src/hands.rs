//! Work that is shared among the processors.

/// Fewer things than this are not worth sharing.
const FEW: usize = 2000;

/// Turns each thing into another, in order.
pub(crate) fn map<T: Sync, U: Send>(things: &[T], turn: impl Fn(&T) -> U + Sync) -> Vec<U> {
    let hands = std::thread::available_parallelism().map_or(1, usize::from);
    if things.len() < FEW || hands == 1 {
        return things.iter().map(turn).collect();
    }
    let turn = &turn;
    std::thread::scope(|scope| {
        let shares = things.chunks(things.len().div_ceil(hands));
        let working: Vec<_> = shares
            .map(|share| scope.spawn(move || share.iter().map(turn).collect::<Vec<U>>()))
            .collect();
        let done = working.into_iter().map(std::thread::ScopedJoinHandle::join);
        done.flat_map(|done| done.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}
