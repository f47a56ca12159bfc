//! Weights of the calls, derived by hand from the storage that each touches; benchmarks are to replace them.

use core::marker::PhantomData;
use frame_support::{traits::Get, weights::Weight};

use crate::{
    chunk::CHUNK_BITS,
    limits::{MAX_LENGTH, MAX_MEMBERS},
};

/// Weights that grow with the input.
pub trait WeightInfo {
    /// Creating a registry with so many DIDs in its policy.
    fn create(policy: u32) -> Weight;
    /// Setting and clearing so many bits.
    fn set_status(indexes: u32) -> Weight;
    /// An accumulator's update with so many members and so many bytes of witness information.
    fn update_accumulator(members: u32, bytes: u32) -> Weight;
    /// Removing a registry whose every chunk is stored.
    fn remove() -> Weight;
}

/// Counts reads and writes and adds what decoding, checking and events cost.
pub struct HandDerived<T>(PhantomData<T>);

/// Picoseconds of decoding, checking and depositing the event of a call.
const CALL: u64 = 20_000_000;
/// Picoseconds of decoding, checking and telling one DID or index.
const ITEM: u64 = 2_000_000;
/// Picoseconds of decoding and telling one byte.
const BYTE: u64 = 5_000;

impl<T: frame_system::Config> HandDerived<T> {
    fn cost(items: u32, reads: u32, writes: u32) -> Weight {
        let picoseconds = CALL.saturating_add(ITEM.saturating_mul(u64::from(items)));
        Weight::from_parts(picoseconds, 0)
            .saturating_add(T::DbWeight::get().reads_writes(u64::from(reads), u64::from(writes)))
    }
}

impl<T: frame_system::Config> WeightInfo for HandDerived<T> {
    fn create(policy: u32) -> Weight {
        Self::cost(policy, 2, 1)
    }
    fn set_status(indexes: u32) -> Weight {
        let chunks = indexes.min(MAX_LENGTH / CHUNK_BITS);
        Self::cost(indexes, chunks + 2, chunks + 1)
    }
    fn update_accumulator(members: u32, bytes: u32) -> Weight {
        let chunks = members.min(MAX_MEMBERS / CHUNK_BITS);
        let witness = Weight::from_parts(BYTE.saturating_mul(u64::from(bytes)), 0);
        let reads = members.saturating_add(chunks).saturating_add(2);
        Self::cost(members, reads, chunks + 1).saturating_add(witness)
    }
    fn remove() -> Weight {
        let chunks = MAX_LENGTH / CHUNK_BITS;
        Self::cost(chunks, chunks + 2, chunks + 1)
    }
}
