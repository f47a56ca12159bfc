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
    /// `init_or_update_trust_registry`: 65 to 81 microseconds.
    fn init_or_update_trust_registry() -> Weight;
    /// `set_schemas_metadata`, with `c` from 202 to 1,000, `p` from 0 to 5,000: 26,256 to 390,714 microseconds.
    fn set_schemas_metadata(c: u32, p: u32) -> Weight;
    /// `suspend_issuers`, with `n` from 1 to 250: 129 to 25,294 microseconds.
    fn suspend_issuers(n: u32) -> Weight;
    /// `unsuspend_issuers`, with `n` from 1 to 250: 65 to 12,627 microseconds.
    fn unsuspend_issuers(n: u32) -> Weight;
    /// `update_delegated_issuers`: 1,275 to 1,337 microseconds.
    fn update_delegated_issuers() -> Weight;
    /// `suspend_verifiers`, with `n` from 1 to 250: 86 to 19,480 microseconds.
    fn suspend_verifiers(n: u32) -> Weight;
    /// `unsuspend_verifiers`, with `n` from 1 to 250: 100 to 13,986 microseconds.
    fn unsuspend_verifiers(n: u32) -> Weight;
    /// `remove_trust_registry`: 82 to 87 microseconds.
    fn remove_trust_registry() -> Weight;
    /// `transfer_trust_registry`: 90 to 102 microseconds.
    fn transfer_trust_registry() -> Weight;
    /// `accept_trust_registry`: 118 to 137 microseconds.
    fn accept_trust_registry() -> Weight;
}

/// Weights of the measured times, and of entries read and written at the runtime's prices.
pub struct Measured<T>(PhantomData<T>);

impl<T: frame_system::Config> WeightInfo for Measured<T> {
    fn init_or_update_trust_registry() -> Weight {
        Weight::from_parts(69_750_000, 0)
            .saturating_add(T::DbWeight::get().reads(2))
            .saturating_add(T::DbWeight::get().writes(1))
    }
    fn set_schemas_metadata(c: u32, _p: u32) -> Weight {
        Weight::from_parts(0, 0)
            .saturating_add(Weight::from_parts(321_577_151, 0).saturating_mul(c.into()))
            .saturating_add(T::DbWeight::get().reads(1))
            .saturating_add(T::DbWeight::get().reads(2_u64.saturating_mul(c.into())))
            .saturating_add(T::DbWeight::get().writes(3_u64.saturating_mul(c.into())))
    }
    fn suspend_issuers(n: u32) -> Weight {
        Weight::from_parts(44_532_295, 0)
            .saturating_add(Weight::from_parts(93_605_871, 0).saturating_mul(n.into()))
            .saturating_add(T::DbWeight::get().reads(2))
            .saturating_add(T::DbWeight::get().reads(2_u64.saturating_mul(n.into())))
            .saturating_add(T::DbWeight::get().writes(n.into()))
    }
    fn unsuspend_issuers(n: u32) -> Weight {
        Weight::from_parts(15_442_187, 0)
            .saturating_add(Weight::from_parts(49_557_814, 0).saturating_mul(n.into()))
            .saturating_add(T::DbWeight::get().reads(2))
            .saturating_add(T::DbWeight::get().reads(n.into()))
            .saturating_add(T::DbWeight::get().writes(n.into()))
    }
    fn update_delegated_issuers() -> Weight {
        Weight::from_parts(1_299_500_000, 0)
            .saturating_add(T::DbWeight::get().reads(3))
            .saturating_add(T::DbWeight::get().writes(33))
    }
    fn suspend_verifiers(n: u32) -> Weight {
        Weight::from_parts(15_541_816, 0)
            .saturating_add(Weight::from_parts(70_701_833, 0).saturating_mul(n.into()))
            .saturating_add(T::DbWeight::get().reads(2))
            .saturating_add(T::DbWeight::get().reads(n.into()))
            .saturating_add(T::DbWeight::get().writes(n.into()))
    }
    fn unsuspend_verifiers(n: u32) -> Weight {
        Weight::from_parts(53_491_268, 0)
            .saturating_add(Weight::from_parts(52_833_035, 0).saturating_mul(n.into()))
            .saturating_add(T::DbWeight::get().reads(2))
            .saturating_add(T::DbWeight::get().reads(n.into()))
            .saturating_add(T::DbWeight::get().writes(n.into()))
    }
    fn remove_trust_registry() -> Weight {
        Weight::from_parts(84_750_000, 0)
            .saturating_add(T::DbWeight::get().reads(3))
            .saturating_add(T::DbWeight::get().writes(3))
    }
    fn transfer_trust_registry() -> Weight {
        Weight::from_parts(95_500_000, 0)
            .saturating_add(T::DbWeight::get().reads(4))
            .saturating_add(T::DbWeight::get().writes(4))
    }
    fn accept_trust_registry() -> Weight {
        Weight::from_parts(127_000_000, 0)
            .saturating_add(T::DbWeight::get().reads(5))
            .saturating_add(T::DbWeight::get().writes(4))
    }
}
