//! The `consolidation` measurement: what is forgotten and merged, and what that costs.

mod duplicates;
mod forgetting;
mod interruption;
mod scale;
mod workspace;

pub(crate) use duplicates::measure as measure_duplicates;
pub(crate) use forgetting::measure as measure_forgetting;
pub(crate) use scale::measure as measure_scale;
