//! The ids of generated records.

use uuid::Uuid;

/// The time of the first record of a generated log, in milliseconds since 1970: 2024-01-01.
pub(crate) const FIRST_RECORD_MS: u64 = 1_704_067_200_000;

/// Returns the UUIDv7 of a time; records of the same time keep the order of their numbers.
pub(crate) fn uuid_v7(millis: u64, number: u64) -> Uuid {
    Uuid::from_u64_pair(millis << 16 | 0x7000, 1 << 63 | number)
}
