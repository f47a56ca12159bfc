//! Weights of the calls, derived by hand from the storage that each touches; benchmarks are to replace them.

use core::marker::PhantomData;
use frame_support::{traits::Get, weights::Weight};

use crate::limits;

/// Weights that grow with the input.
pub trait WeightInfo {
    /// A creation with so many keys, controllers and services, which are so many bytes long together.
    fn create(keys: u32, controllers: u32, services: u32, bytes: u32) -> Weight;
    /// The dispatch of calls that are so many bytes long, without the calls themselves.
    fn dispatch_as(bytes: u32) -> Weight;
    /// Adding so many keys.
    fn add_keys(keys: u32) -> Weight;
    /// Replacing a key.
    fn rotate_key() -> Weight;
    /// Revoking so many keys.
    fn revoke_keys(keys: u32) -> Weight;
    /// Adding so many controllers.
    fn add_controllers(controllers: u32) -> Weight;
    /// Removing so many controllers.
    fn remove_controllers(controllers: u32) -> Weight;
    /// Adding or replacing a service that is so many bytes long.
    fn set_service(bytes: u32) -> Weight;
    /// Removing a service.
    fn remove_service() -> Weight;
    /// Ending a DID that holds as much as one can.
    fn deactivate() -> Weight;
}

/// Counts reads and writes and adds what signatures, hashing and events cost.
pub struct HandDerived<T>(PhantomData<T>);

/// Picoseconds of one Ed25519 verification in the executor, with a margin.
const SIGNATURE: u64 = 100_000_000;
/// Picoseconds of decoding, checking and depositing the event of one item.
const ITEM: u64 = 10_000_000;
/// Picoseconds of hashing and encoding one byte.
const BYTE: u64 = 5_000;

impl<T: frame_system::Config> HandDerived<T> {
    fn cost(picoseconds: u64, reads: u32, writes: u32) -> Weight {
        Weight::from_parts(picoseconds, 0)
            .saturating_add(T::DbWeight::get().reads_writes(u64::from(reads), u64::from(writes)))
    }

    fn bytes(count: u32) -> Weight {
        Weight::from_parts(BYTE.saturating_mul(u64::from(count)), 0)
    }

    fn items(count: u32, signatures: u32, reads: u32, writes: u32) -> Weight {
        let picoseconds = ITEM.saturating_mul(u64::from(count)) + SIGNATURE.saturating_mul(u64::from(signatures));
        Self::cost(picoseconds, reads, writes)
    }
}

impl<T: frame_system::Config> WeightInfo for HandDerived<T> {
    fn create(keys: u32, controllers: u32, services: u32, bytes: u32) -> Weight {
        let items = keys.saturating_add(controllers).saturating_add(services);
        let reads = controllers.saturating_mul(2).saturating_add(services).saturating_add(2);
        Self::items(items.saturating_add(2), 1, reads, items.saturating_add(1)).saturating_add(Self::bytes(bytes))
    }
    fn dispatch_as(bytes: u32) -> Weight {
        Self::cost(SIGNATURE + ITEM, 5, 1).saturating_add(Self::bytes(bytes))
    }
    fn add_keys(keys: u32) -> Weight {
        Self::items(keys.saturating_add(1), keys, 3, keys.saturating_add(1))
    }
    fn rotate_key() -> Weight {
        Self::items(3, 1, 4, 3)
    }
    fn revoke_keys(keys: u32) -> Weight {
        Self::items(keys.saturating_add(1), 0, keys.saturating_add(4), keys.saturating_add(2))
    }
    fn add_controllers(controllers: u32) -> Weight {
        let reads = controllers.saturating_mul(2).saturating_add(3);
        Self::items(controllers.saturating_add(1), 0, reads, controllers.saturating_add(1))
    }
    fn remove_controllers(controllers: u32) -> Weight {
        Self::items(controllers.saturating_add(1), 0, controllers.saturating_add(3), controllers.saturating_add(1))
    }
    fn set_service(bytes: u32) -> Weight {
        Self::items(2, 0, 4, 2).saturating_add(Self::bytes(bytes))
    }
    fn remove_service() -> Weight {
        Self::items(2, 0, 4, 2)
    }
    fn deactivate() -> Weight {
        let held = limits::MAX_KEYS + limits::MAX_CONTROLLERS + limits::MAX_SERVICES;
        Self::items(held, 0, held + 5, held + 3)
    }
}
