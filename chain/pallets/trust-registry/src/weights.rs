//! Weights of the calls, derived by hand from the storage that each touches; benchmarks are to replace them.

use core::marker::PhantomData;
use frame_support::{traits::Get, weights::Weight};

use crate::limits;

/// Weights that grow with the input.
pub trait WeightInfo {
    /// Creating or changing a registry.
    fn init_or_update_trust_registry() -> Weight;
    /// An update that looks at so many changes and names so many prices.
    fn set_schemas_metadata(changes: u32, prices: u32) -> Weight;
    /// Suspending or unsuspending so many DIDs.
    fn suspend(dids: u32) -> Weight;
    /// Changing all delegates of an issuer.
    fn update_delegated_issuers() -> Weight;
    /// Removing a registry.
    fn remove_trust_registry() -> Weight;
    /// Offering, handing over or accepting a registry.
    fn transfer_trust_registry() -> Weight;
}

/// Counts reads and writes and adds what decoding, checking and events cost.
pub struct HandDerived<T>(PhantomData<T>);

/// Picoseconds of decoding, checking and depositing the event of one item.
const ITEM: u64 = 10_000_000;
/// Picoseconds of decoding, checking and encoding one price.
const PRICE: u64 = 2_000_000;

impl<T: frame_system::Config> HandDerived<T> {
    fn cost(picoseconds: u64, reads: u32, writes: u32) -> Weight {
        Weight::from_parts(picoseconds, 0)
            .saturating_add(T::DbWeight::get().reads_writes(u64::from(reads), u64::from(writes)))
    }
}

impl<T: frame_system::Config> WeightInfo for HandDerived<T> {
    fn init_or_update_trust_registry() -> Weight {
        Self::cost(2 * ITEM, 3, 2)
    }
    /// A change reads and writes an entry, its reverse and a standing, or a schema and its reverse.
    fn set_schemas_metadata(changes: u32, prices: u32) -> Weight {
        let picoseconds =
            ITEM.saturating_mul(u64::from(changes) + 2).saturating_add(PRICE.saturating_mul(u64::from(prices)));
        Self::cost(
            picoseconds,
            changes.saturating_mul(2).saturating_add(2),
            changes.saturating_mul(3).saturating_add(1),
        )
    }
    fn suspend(dids: u32) -> Weight {
        let picoseconds = ITEM.saturating_mul(u64::from(dids) + 1);
        Self::cost(picoseconds, dids.saturating_mul(2).saturating_add(2), dids)
    }
    fn update_delegated_issuers() -> Weight {
        Self::cost(ITEM * u64::from(2 * limits::MAX_DELEGATES + 1), 3, 2 * limits::MAX_DELEGATES + 1)
    }
    fn remove_trust_registry() -> Weight {
        Self::cost(ITEM, 4, 3)
    }
    fn transfer_trust_registry() -> Weight {
        Self::cost(ITEM, 6, 4)
    }
}
