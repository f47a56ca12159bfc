//! Weights of the calls, derived from the entries that they read and write. The time is that of the dearest call of the
//! same size of the other pallets.

use core::marker::PhantomData;
use frame_support::{traits::Get, weights::Weight};

use crate::limits::MAX_VALIDATORS;

/// Weights that grow with the input.
pub trait WeightInfo {
    /// `set_validators`, with `n` validators.
    fn set_validators(n: u32) -> Weight;
    /// `act`, without the call.
    fn act() -> Weight;
    /// `note_keys`: what `set_keys` does before the session pallet's.
    fn note_keys() -> Weight;
}

/// Weights of entries read and written at the runtime's prices, and of a time that is long enough.
pub struct Derived<T>(PhantomData<T>);

impl<T: frame_system::Config> WeightInfo for Derived<T> {
    fn set_validators(n: u32) -> Weight {
        Weight::from_parts(100_000_000, 0)
            .saturating_add(Weight::from_parts(10_000_000, 0).saturating_mul(n.into()))
            .saturating_add(T::DbWeight::get().reads(1))
            .saturating_add(T::DbWeight::get().reads(n.into()))
            // The time of a change of keys goes with each validator that goes.
            .saturating_add(T::DbWeight::get().writes(u64::from(MAX_VALIDATORS).saturating_add(1)))
    }
    fn act() -> Weight {
        Weight::from_parts(100_000_000, 0)
    }
    fn note_keys() -> Weight {
        Weight::from_parts(100_000_000, 0)
            .saturating_add(T::DbWeight::get().reads(3))
            .saturating_add(T::DbWeight::get().writes(1))
    }
}
