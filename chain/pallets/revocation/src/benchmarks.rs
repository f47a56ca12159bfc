//! Benchmarks of what the calls cost at most. Each runs on a registry of the largest size.

use alloc::{collections::BTreeSet, vec};
use frame_benchmarking::v2::*;
use pallet_did::{Did, DidId, DidOrigin, DidState, Relationships};
use sp_core::H256;

use crate::{chunk::CHUNKS, limits::*, *};

const REGISTRY: H256 = H256([1; 32]);

/// The DID that acts, which every policy names.
const ACTOR: DidId = DidId([1; 32]);

/// The DID that acts, and others of the greatest length.
fn policy(count: u32) -> BTreeSet<Did> {
    let others = (1..count).map(Did::longest);
    core::iter::once(ACTOR.into()).chain(others).collect()
}

fn actor<T: pallet_did::Config>() -> T::RuntimeOrigin {
    pallet_did::Dids::<T>::insert(ACTOR, DidState::Active(Default::default()));
    DidOrigin { did: ACTOR.into(), relationships: Relationships(1) }.into()
}

fn accumulator() -> KindInput {
    let long = || vec![7; MAX_ACCUMULATOR_FIELD as usize];
    KindInput::Accumulator { public_key: long(), accumulated: long() }
}

/// Makes a registry with a full policy and a set bit in every chunk.
fn full<T: Config>(kind: KindInput) {
    let policy = Policy::try_from(policy(MAX_POLICY)).expect("within the limit");
    let kind = kind.bounded().expect("within the limits");
    let registry = Registry { policy, add_only: false, kind, version: 0 };
    Registries::<T>::insert(REGISTRY, RegistryState::Active(registry));
    Pallet::<T>::put_bits(REGISTRY, (0..CHUNKS).map(|chunk| (chunk + 1) * CHUNK_BITS - 1).collect(), BTreeSet::new());
}

/// A number of indexes, spread over a number of chunks.
fn indexes(count: u32, chunks: u32) -> BTreeSet<u32> {
    (0..count).map(|number| (number % chunks) * CHUNK_BITS + number / chunks).collect()
}

fn version<T: Config>() -> u32 {
    Pallet::<T>::registry(REGISTRY).expect("the registry is in use").version
}

#[benchmarks(where T: pallet_did::Config)]
mod calls {
    use super::*;

    /// `d`: DIDs of the policy.
    #[benchmark]
    fn create(d: Linear<1, MAX_POLICY>) {
        let actor = actor::<T>();

        #[extrinsic_call]
        _(actor as T::RuntimeOrigin, REGISTRY, policy(d), false, accumulator());

        assert_eq!(version::<T>(), 0);
    }

    /// `n`: indexes; `c`: chunks that they are in.
    #[benchmark]
    fn set_status(n: Linear<CHUNKS, MAX_INDEXES>, c: Linear<1, CHUNKS>) {
        let actor = actor::<T>();
        full::<T>(KindInput::StatusList { length: MAX_LENGTH });

        #[extrinsic_call]
        _(actor as T::RuntimeOrigin, REGISTRY, indexes(n, c), BTreeSet::new());

        assert!(indexes(n, c).iter().all(|index| Pallet::<T>::is_revoked(REGISTRY, *index)));
    }

    /// `m`: members that are removed; `c`: chunks that they are in; `b`: bytes of the witness information.
    #[benchmark]
    fn update_accumulator(m: Linear<CHUNKS, MAX_INDEXES>, c: Linear<1, CHUNKS>, b: Linear<0, MAX_WITNESS_UPDATE>) {
        let actor = actor::<T>();
        full::<T>(accumulator());
        let accumulated = vec![8; MAX_ACCUMULATOR_FIELD as usize];

        #[extrinsic_call]
        _(actor as T::RuntimeOrigin, REGISTRY, 0, accumulated, BTreeSet::new(), indexes(m, c), vec![9; b as usize]);

        assert_eq!(version::<T>(), 1);
        assert!(indexes(m, c).iter().all(|index| Pallet::<T>::is_revoked(REGISTRY, *index)));
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
