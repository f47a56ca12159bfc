//! Measured weights of the calls. Written by scripts/measure-weights, which says:
//!
//! - on 2026-11-21, AMD EPYC
//! - in the executor of the embedded ledger, Node 20.20.2 (V8 11.3.244.8-node.38)
//! - by scripts/measure-weights 8 8: 8 steps of each component, 8 repeats of each
//! - times are of the processor, fitted by least squares; a fit below the time measured at the most is raised to it
//! - on 2026-11-26 again, of `create`: beside short DIDs in one run, with the longest of 512 bytes (8 steps, 8
//!   repeats), on a busy machine; what stood here times what the longest cost more, or the time that was measured
//!   where that is less

use core::marker::PhantomData;
use frame_support::{traits::Get, weights::Weight};

/// Weights that grow with the input.
pub trait WeightInfo {
    /// `create`, with `d` from 1 to 15: 33 to 202 microseconds.
    fn create(d: u32) -> Weight;
    /// `set_status`, with `n` from 512 to 1,000, `c` from 1 to 512: 289 to 15,834 microseconds.
    fn set_status(n: u32, c: u32) -> Weight;
    /// `update_accumulator`, with `m` from 512 to 1,000, `c` from 1 to 512, `b` from 0 to 65,536: 4,019 to 34,527 microseconds.
    fn update_accumulator(m: u32, c: u32, b: u32) -> Weight;
    /// `remove`: 9,187 to 11,735 microseconds.
    fn remove() -> Weight;
}

/// Weights of the measured times, and of entries read and written at the runtime's prices.
pub struct Measured<T>(PhantomData<T>);

impl<T: frame_system::Config> WeightInfo for Measured<T> {
    fn create(d: u32) -> Weight {
        Weight::from_parts(41_442_852, 0)
            .saturating_add(Weight::from_parts(5_644_357, 0).saturating_mul(d.into()))
            .saturating_add(T::DbWeight::get().reads(2))
            .saturating_add(T::DbWeight::get().writes(1))
    }
    fn set_status(n: u32, c: u32) -> Weight {
        Weight::from_parts(155_236_910, 0)
            .saturating_add(Weight::from_parts(467_028, 0).saturating_mul(n.into()))
            .saturating_add(Weight::from_parts(21_405_681, 0).saturating_mul(c.into()))
            .saturating_add(T::DbWeight::get().reads(2))
            .saturating_add(T::DbWeight::get().reads(c.into()))
            .saturating_add(T::DbWeight::get().writes(1))
            .saturating_add(T::DbWeight::get().writes(c.into()))
    }
    fn update_accumulator(m: u32, c: u32, b: u32) -> Weight {
        Weight::from_parts(0, 0)
            .saturating_add(Weight::from_parts(9_913_566, 0).saturating_mul(m.into()))
            .saturating_add(Weight::from_parts(26_170_151, 0).saturating_mul(c.into()))
            .saturating_add(Weight::from_parts(44_604, 0).saturating_mul(b.into()))
            .saturating_add(T::DbWeight::get().reads(2))
            .saturating_add(T::DbWeight::get().reads(c.into()))
            .saturating_add(T::DbWeight::get().writes(1))
            .saturating_add(T::DbWeight::get().writes(c.into()))
    }
    fn remove() -> Weight {
        Weight::from_parts(10_465_500_000, 0)
            .saturating_add(T::DbWeight::get().reads(514))
            .saturating_add(T::DbWeight::get().writes(513))
    }
}
