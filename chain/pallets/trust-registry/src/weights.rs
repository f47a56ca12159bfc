//! Measured weights of the calls. Written by scripts/measure-weights, which says:
//!
//! - on 2026-11-21, AMD EPYC
//! - in the executor of the embedded ledger, Node 20.20.2 (V8 11.3.244.8-node.38)
//! - by scripts/measure-weights 8 8: 8 steps of each component, 8 repeats of each
//! - times are of the processor, fitted by least squares; a fit below the time measured at the most is raised to it
//! - on 2026-11-26 again, of calls that change or suspend other DIDs: beside short DIDs in one run, with the longest of
//!   512 bytes (8 steps, 8 repeats), on a busy machine; what stood here times what the longest cost more, or the time
//!   that was measured where that is less

use core::marker::PhantomData;
use frame_support::{traits::Get, weights::Weight};

/// Weights that grow with the input.
pub trait WeightInfo {
    /// `init_or_update_trust_registry`: 65 to 81 microseconds.
    fn init_or_update_trust_registry() -> Weight;
    /// `set_schemas_metadata`, with `c` from 202 to 1,000, `p` from 0 to 5,000: 42,845 to 387,583 microseconds.
    fn set_schemas_metadata(c: u32, p: u32) -> Weight;
    /// `suspend_issuers`, with `n` from 1 to 250: 127 to 34,112 microseconds.
    fn suspend_issuers(n: u32) -> Weight;
    /// `unsuspend_issuers`, with `n` from 1 to 250: 116 to 19,820 microseconds.
    fn unsuspend_issuers(n: u32) -> Weight;
    /// `update_delegated_issuers`: 1,816 to 1,898 microseconds.
    fn update_delegated_issuers() -> Weight;
    /// `suspend_verifiers`, with `n` from 1 to 250: 145 to 29,294 microseconds.
    fn suspend_verifiers(n: u32) -> Weight;
    /// `unsuspend_verifiers`, with `n` from 1 to 250: 96 to 19,624 microseconds.
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
            .saturating_add(Weight::from_parts(350_458_535, 0).saturating_mul(c.into()))
            .saturating_add(T::DbWeight::get().reads(1))
            .saturating_add(T::DbWeight::get().reads(2_u64.saturating_mul(c.into())))
            .saturating_add(T::DbWeight::get().writes(3_u64.saturating_mul(c.into())))
    }
    fn suspend_issuers(n: u32) -> Weight {
        Weight::from_parts(0, 0)
            .saturating_add(Weight::from_parts(134_952_530, 0).saturating_mul(n.into()))
            .saturating_add(T::DbWeight::get().reads(2))
            .saturating_add(T::DbWeight::get().reads(2_u64.saturating_mul(n.into())))
            .saturating_add(T::DbWeight::get().writes(n.into()))
    }
    fn unsuspend_issuers(n: u32) -> Weight {
        Weight::from_parts(45_538_844, 0)
            .saturating_add(Weight::from_parts(72_963_303, 0).saturating_mul(n.into()))
            .saturating_add(T::DbWeight::get().reads(2))
            .saturating_add(T::DbWeight::get().reads(n.into()))
            .saturating_add(T::DbWeight::get().writes(n.into()))
    }
    fn update_delegated_issuers() -> Weight {
        Weight::from_parts(1_876_250_000, 0)
            .saturating_add(T::DbWeight::get().reads(3))
            .saturating_add(T::DbWeight::get().writes(33))
    }
    fn suspend_verifiers(n: u32) -> Weight {
        Weight::from_parts(47_107_050, 0)
            .saturating_add(Weight::from_parts(98_070_235, 0).saturating_mul(n.into()))
            .saturating_add(T::DbWeight::get().reads(2))
            .saturating_add(T::DbWeight::get().reads(n.into()))
            .saturating_add(T::DbWeight::get().writes(n.into()))
    }
    fn unsuspend_verifiers(n: u32) -> Weight {
        Weight::from_parts(248_294_184, 0)
            .saturating_add(Weight::from_parts(74_477_319, 0).saturating_mul(n.into()))
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
