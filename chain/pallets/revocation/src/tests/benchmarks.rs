//! What the calls cost at most: each on a registry that is as large as it can be.

use alloc::{collections::BTreeSet, vec};
use frame_benchmarking::v2::*;
use pallet_did::{Did, DidId, DidOrigin, DidState, Relationships};
use sp_core::H256;

use crate::{limits::*, *};

const REGISTRY: H256 = H256([1; 32]);
/// Chunks of the longest list.
const CHUNKS: u32 = MAX_LENGTH / CHUNK_BITS;

/// DIDs of the ledger.
fn policy(count: u32) -> BTreeSet<Did> {
    (1..=count).map(|number| Did::Svc(DidId([number as u8; 32]))).collect()
}

/// The first DID of every policy, as the origin of a call.
fn actor<T: pallet_did::Config>() -> T::RuntimeOrigin {
    let did = DidId([1; 32]);
    pallet_did::Dids::<T>::insert(did, DidState::Active(Default::default()));
    DidOrigin { did: did.into(), relationships: Relationships(1) }.into()
}

fn accumulator() -> KindInput {
    let long = || vec![7; MAX_ACCUMULATOR_FIELD as usize];
    KindInput::Accumulator { public_key: long(), accumulated: long() }
}

/// A registry with a full policy, of which some bit is set in every chunk.
fn full<T: Config>(kind: KindInput) {
    let policy = Policy::try_from(policy(MAX_POLICY)).expect("within the limit");
    let kind = kind.bounded().expect("within the limits");
    let registry = Registry { policy, add_only: false, kind, version: 0 };
    Registries::<T>::insert(REGISTRY, RegistryState::Active(registry));
    Pallet::<T>::put_bits(REGISTRY, (0..CHUNKS).map(|chunk| (chunk + 1) * CHUNK_BITS - 1).collect(), BTreeSet::new());
}

/// So many indexes, in as many chunks as there are.
fn indexes(count: u32) -> BTreeSet<u32> {
    (0..count).map(|number| (number % CHUNKS) * CHUNK_BITS + number / CHUNKS).collect()
}

fn version<T: Config>() -> u32 {
    Pallet::<T>::registry(REGISTRY).expect("the registry is in use").version
}

#[benchmarks(where T: pallet_did::Config)]
mod benchmarks {
    use super::*;

    #[benchmark]
    fn create(d: Linear<1, MAX_POLICY>) {
        let actor = actor::<T>();

        #[extrinsic_call]
        _(actor as T::RuntimeOrigin, REGISTRY, policy(d), false, accumulator());

        assert_eq!(version::<T>(), 0);
    }

    #[benchmark]
    fn set_status(n: Linear<1, MAX_INDEXES>) {
        let actor = actor::<T>();
        full::<T>(KindInput::StatusList { length: MAX_LENGTH });

        #[extrinsic_call]
        _(actor as T::RuntimeOrigin, REGISTRY, indexes(n), BTreeSet::new());

        assert_eq!(version::<T>(), 1);
    }

    #[benchmark]
    fn update_accumulator(m: Linear<1, MAX_INDEXES>, b: Linear<0, MAX_WITNESS_UPDATE>) {
        let actor = actor::<T>();
        full::<T>(accumulator());
        let accumulated = vec![8; MAX_ACCUMULATOR_FIELD as usize];

        #[extrinsic_call]
        _(actor as T::RuntimeOrigin, REGISTRY, 0, accumulated, BTreeSet::new(), indexes(m), vec![9; b as usize]);

        assert_eq!(version::<T>(), 1);
    }

    #[benchmark]
    fn remove() {
        let actor = actor::<T>();
        full::<T>(KindInput::StatusList { length: MAX_LENGTH });

        #[extrinsic_call]
        _(actor as T::RuntimeOrigin, REGISTRY);

        assert_eq!(Registries::<T>::get(REGISTRY), Some(RegistryState::Removed));
    }

    impl_benchmark_test_suite!(Pallet, crate::tests::for_benchmarks(), crate::tests::Test);
}
