//! Measured weights of the calls. Written by scripts/measure-weights, which says:
//!
//! - on 2026-11-21, AMD EPYC
//! - in the executor of the embedded ledger, Node 20.20.2 (V8 11.3.244.8-node.38)
//! - by scripts/measure-weights 8 8: 8 steps of each component, 8 repeats of each
//! - times are of the processor, fitted by least squares; a fit below the time measured at the most is raised to it

use core::marker::PhantomData;
use frame_support::{traits::Get, weights::Weight};

/// Weights that grow with the input.
pub trait WeightInfo {
    /// `create`, with `k` from 1 to 32, `c` from 0 to 8, `s` from 0 to 16, `b` from 160 to 40,960: 376 to 4,531 microseconds.
    fn create(k: u32, c: u32, s: u32, b: u32) -> Weight;
    /// `dispatch_as`, with `b` from 0 to 1,000,000: 581 to 5,415 microseconds.
    fn dispatch_as(b: u32) -> Weight;
    /// `add_keys`, with `k` from 1 to 31: 372 to 7,795 microseconds.
    fn add_keys(k: u32) -> Weight;
    /// `rotate_key`: 258 to 284 microseconds.
    fn rotate_key() -> Weight;
    /// `revoke_keys`, with `k` from 1 to 31: 178 to 2,285 microseconds.
    fn revoke_keys(k: u32) -> Weight;
    /// `add_controllers`, with `c` from 1 to 8: 66 to 442 microseconds.
    fn add_controllers(c: u32) -> Weight;
    /// `remove_controllers`, with `c` from 1 to 8: 57 to 335 microseconds.
    fn remove_controllers(c: u32) -> Weight;
    /// `set_service`, with `b` from 10 to 2,560: 85 to 203 microseconds.
    fn set_service(b: u32) -> Weight;
    /// `remove_service`: 92 to 263 microseconds.
    fn remove_service() -> Weight;
    /// `deactivate`: 1,049 to 1,285 microseconds.
    fn deactivate() -> Weight;
}

/// Weights of the measured times, and of entries read and written at the runtime's prices.
pub struct Measured<T>(PhantomData<T>);

impl<T: frame_system::Config> WeightInfo for Measured<T> {
    fn create(k: u32, c: u32, s: u32, b: u32) -> Weight {
        Weight::from_parts(199_458_742, 0)
            .saturating_add(Weight::from_parts(40_398_880, 0).saturating_mul(k.into()))
            .saturating_add(Weight::from_parts(32_133_913, 0).saturating_mul(c.into()))
            .saturating_add(Weight::from_parts(97_892_621, 0).saturating_mul(s.into()))
            .saturating_add(Weight::from_parts(7_524, 0).saturating_mul(b.into()))
            .saturating_add(T::DbWeight::get().reads(2))
            .saturating_add(T::DbWeight::get().reads(2_u64.saturating_mul(c.into())))
            .saturating_add(T::DbWeight::get().reads(s.into()))
            .saturating_add(T::DbWeight::get().writes(1))
            .saturating_add(T::DbWeight::get().writes(k.into()))
            .saturating_add(T::DbWeight::get().writes(c.into()))
            .saturating_add(T::DbWeight::get().writes(s.into()))
    }
    fn dispatch_as(b: u32) -> Weight {
        Weight::from_parts(522_458_938, 0)
            .saturating_add(Weight::from_parts(4_495, 0).saturating_mul(b.into()))
            .saturating_add(T::DbWeight::get().reads(5))
            .saturating_add(T::DbWeight::get().writes(1))
    }
    fn add_keys(k: u32) -> Weight {
        Weight::from_parts(307_599_418, 0)
            .saturating_add(Weight::from_parts(222_754_858, 0).saturating_mul(k.into()))
            .saturating_add(T::DbWeight::get().reads(2))
            .saturating_add(T::DbWeight::get().writes(1))
            .saturating_add(T::DbWeight::get().writes(k.into()))
    }
    fn rotate_key() -> Weight {
        Weight::from_parts(270_750_000, 0)
            .saturating_add(T::DbWeight::get().reads(3))
            .saturating_add(T::DbWeight::get().writes(3))
    }
    fn revoke_keys(k: u32) -> Weight {
        Weight::from_parts(127_781_574, 0)
            .saturating_add(Weight::from_parts(42_007_047, 0).saturating_mul(k.into()))
            .saturating_add(T::DbWeight::get().reads(2))
            .saturating_add(T::DbWeight::get().reads(k.into()))
            .saturating_add(T::DbWeight::get().writes(2))
            .saturating_add(T::DbWeight::get().writes(k.into()))
    }
    fn add_controllers(c: u32) -> Weight {
        Weight::from_parts(26_892_858, 0)
            .saturating_add(Weight::from_parts(43_107_143, 0).saturating_mul(c.into()))
            .saturating_add(T::DbWeight::get().reads(1))
            .saturating_add(T::DbWeight::get().reads(2_u64.saturating_mul(c.into())))
            .saturating_add(T::DbWeight::get().writes(1))
            .saturating_add(T::DbWeight::get().writes(c.into()))
    }
    fn remove_controllers(c: u32) -> Weight {
        Weight::from_parts(51_330_358, 0)
            .saturating_add(Weight::from_parts(33_302_456, 0).saturating_mul(c.into()))
            .saturating_add(T::DbWeight::get().reads(1))
            .saturating_add(T::DbWeight::get().reads(c.into()))
            .saturating_add(T::DbWeight::get().writes(1))
            .saturating_add(T::DbWeight::get().writes(c.into()))
    }
    fn set_service(b: u32) -> Weight {
        Weight::from_parts(122_188_154, 0)
            .saturating_add(Weight::from_parts(15_064, 0).saturating_mul(b.into()))
            .saturating_add(T::DbWeight::get().reads(2))
            .saturating_add(T::DbWeight::get().writes(2))
    }
    fn remove_service() -> Weight {
        Weight::from_parts(143_250_000, 0)
            .saturating_add(T::DbWeight::get().reads(2))
            .saturating_add(T::DbWeight::get().writes(2))
    }
    fn deactivate() -> Weight {
        Weight::from_parts(1_166_750_000, 0)
            .saturating_add(T::DbWeight::get().reads(59))
            .saturating_add(T::DbWeight::get().writes(59))
    }
}
