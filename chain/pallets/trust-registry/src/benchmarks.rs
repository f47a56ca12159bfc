//! Benchmarks of what the calls cost at most. Each runs where as much as possible is stored.

use alloc::{
    collections::{BTreeMap, BTreeSet},
    vec,
    vec::Vec,
};
use frame_benchmarking::v2::*;
use frame_system::RawOrigin;
use pallet_did::{Did, DidId, DidOrigin, DidState, Relationships};
use sp_core::H256;

use crate::{limits::*, *};

const REGISTRY: H256 = H256([1; 32]);
const SCHEMA: H256 = H256([2; 32]);
const CONVENER: DidId = DidId([3; 32]);
const OTHER: DidId = DidId([4; 32]);

/// A DID of the ledger as the origin of a call.
fn acting<T: pallet_did::Config>(did: DidId) -> T::RuntimeOrigin {
    pallet_did::Dids::<T>::insert(did, DidState::Active(Default::default()));
    DidOrigin { did: did.into(), relationships: Relationships(1) }.into()
}

/// Creates a registry with the longest texts, which its convener offers to another DID. Returns the convener's origin.
fn registry<T: Config + pallet_did::Config>() -> T::RuntimeOrigin {
    let text = |bytes: u32| vec![7; bytes as usize];
    let made = Pallet::<T>::do_init_or_update(CONVENER.into(), REGISTRY, text(MAX_NAME), text(MAX_GOV_FRAMEWORK));
    assert!(made.is_ok());
    Proposals::<T>::insert(REGISTRY, Did::Svc(OTHER));
    acting::<T>(CONVENER)
}

/// Prices with the longest symbols.
fn prices(count: u32, price: u128) -> PricesInput {
    (0..count).map(|number| (alloc::format!("CURRENCY{number:02}").into_bytes(), price)).collect()
}

/// Makes a schema with this many issuers, each with as many prices as it can have.
fn issuers<T: Config>(count: u32) {
    let all: Vec<u32> = (0..count).collect();
    for part in all.chunks(200) {
        let ops = part
            .iter()
            .map(|number| (Did::longest(*number), IssuerOp::Set(prices(MAX_CURRENCIES, u128::MAX))))
            .collect();
        let update = MetadataUpdate { issuers: Some(IssuersUpdate::Modify(ops)), verifiers: None };
        let update = SchemasUpdate::Modify([(SCHEMA, SchemaOp::Ensure(update))].into());
        assert!(Pallet::<T>::do_set_schemas_metadata(CONVENER.into(), REGISTRY, update, None).is_ok());
    }
}

/// Gives a number of DIDs the same standing in the registry.
fn standing<T: Config>(count: u32, standing: &Standing) -> BTreeSet<Did> {
    let put = |number| {
        Pallet::<T>::put_standing(REGISTRY, &Did::longest(number), standing);
        Did::longest(number)
    };
    (0..count).map(put).collect()
}

fn is_suspended<T: Config>(number: u32) -> bool {
    Standings::<T>::get(REGISTRY, Did::longest(number)).suspended
}

fn convener<T: Config>() -> Did {
    Pallet::<T>::registry(REGISTRY).expect("the registry is in use").convener
}

#[benchmarks(where T: pallet_did::Config)]
mod calls {
    use super::*;

    #[benchmark]
    fn init_or_update_trust_registry() {
        let actor = registry::<T>();
        let text = |bytes: u32| vec![8; bytes as usize];

        #[extrinsic_call]
        _(actor as T::RuntimeOrigin, REGISTRY, text(MAX_NAME), text(MAX_GOV_FRAMEWORK));

        assert_eq!(Pallet::<T>::registry(REGISTRY).expect("the registry is in use").name.into_inner(), text(MAX_NAME));
    }

    /// `c`: the schema and its issuers, each with as many prices as it can have. The first issuers get `p` new prices;
    /// the others are removed.
    #[benchmark]
    fn set_schemas_metadata(c: Linear<202, MAX_CHANGES>, p: Linear<0, MAX_PRICES_OF_CALL>) {
        let actor = registry::<T>();
        issuers::<T>(c - 1);
        let op = |number: u32| match p.saturating_sub(number * MAX_CURRENCIES).min(MAX_CURRENCIES) {
            0 => IssuerOp::Remove,
            count => IssuerOp::Set(prices(count, 1)),
        };
        let ops: BTreeMap<_, _> = (0..c - 1).map(|number| (Did::longest(number), op(number))).collect();
        let update = MetadataUpdate { issuers: Some(IssuersUpdate::Modify(ops)), verifiers: None };
        let update = SchemasUpdate::Modify([(SCHEMA, SchemaOp::Modify(update))].into());

        #[extrinsic_call]
        _(actor as T::RuntimeOrigin, REGISTRY, update, None);

        let left = Schemas::<T>::get(REGISTRY, SCHEMA).expect("the schema stays").issuers;
        assert_eq!(left, p.div_ceil(MAX_CURRENCIES));
    }

    /// `n`: delegates, for which more is read than for issuers.
    #[benchmark]
    fn suspend_issuers(n: Linear<1, MAX_SUSPENSIONS>) {
        let actor = registry::<T>();
        let dids: BTreeSet<Did> = (0..n).map(Did::longest).collect();
        for delegate in &dids {
            Delegations::<T>::insert((delegate, REGISTRY, Did::Svc(OTHER)), ());
        }

        #[extrinsic_call]
        _(actor as T::RuntimeOrigin, REGISTRY, dids);

        assert!(is_suspended::<T>(n - 1));
    }

    #[benchmark]
    fn unsuspend_issuers(n: Linear<1, MAX_SUSPENSIONS>) {
        let actor = registry::<T>();
        let dids = standing::<T>(n, &Standing { issuer_schemas: 1, suspended: true, ..Default::default() });

        #[extrinsic_call]
        _(actor as T::RuntimeOrigin, REGISTRY, dids);

        assert!(!is_suspended::<T>(n - 1));
    }

    #[benchmark]
    fn update_delegated_issuers() {
        registry::<T>();
        let actor = acting::<T>(OTHER);
        let old: BTreeSet<Did> = (0..MAX_DELEGATES).map(Did::longest).collect();
        for delegate in &old {
            Delegations::<T>::insert((delegate, REGISTRY, Did::Svc(OTHER)), ());
        }
        let delegates = Delegates::try_from(old).expect("within the limit");
        let standing = Standing { issuer_schemas: 1, delegates, ..Default::default() };
        Pallet::<T>::put_standing(REGISTRY, &OTHER.into(), &standing);
        let new: BTreeSet<Did> = (100..100 + MAX_DELEGATES).map(Did::longest).collect();

        #[extrinsic_call]
        _(actor as T::RuntimeOrigin, REGISTRY, DelegatedUpdate::Set(new.clone()));

        assert_eq!(Standings::<T>::get(REGISTRY, Did::Svc(OTHER)).delegates.into_inner(), new);
    }

    #[benchmark]
    fn suspend_verifiers(n: Linear<1, MAX_SUSPENSIONS>) {
        let actor = registry::<T>();
        let dids = standing::<T>(n, &Standing { verifier_schemas: 1, ..Default::default() });

        #[extrinsic_call]
        _(actor as T::RuntimeOrigin, REGISTRY, dids);

        assert!(is_suspended::<T>(n - 1));
    }

    #[benchmark]
    fn unsuspend_verifiers(n: Linear<1, MAX_SUSPENSIONS>) {
        let actor = registry::<T>();
        let dids = standing::<T>(n, &Standing { verifier_schemas: 1, suspended: true, ..Default::default() });

        #[extrinsic_call]
        _(actor as T::RuntimeOrigin, REGISTRY, dids);

        assert!(!is_suspended::<T>(n - 1));
    }

    #[benchmark]
    fn remove_trust_registry() {
        let actor = registry::<T>();

        #[extrinsic_call]
        _(actor as T::RuntimeOrigin, REGISTRY);

        assert_eq!(Registries::<T>::get(REGISTRY), Some(RegistryState::Removed));
    }

    /// Runs as root, which hands the registry over at once; the convener can only offer it.
    #[benchmark]
    fn transfer_trust_registry() {
        registry::<T>();
        acting::<T>(OTHER);

        #[extrinsic_call]
        _(RawOrigin::Root, REGISTRY, Did::Svc(OTHER));

        assert_eq!(convener::<T>(), Did::Svc(OTHER));
    }

    #[benchmark]
    fn accept_trust_registry() {
        registry::<T>();
        let actor = acting::<T>(OTHER);

        #[extrinsic_call]
        _(actor as T::RuntimeOrigin, REGISTRY);

        assert_eq!(convener::<T>(), Did::Svc(OTHER));
    }

    impl_benchmark_test_suite!(Pallet, crate::tests::for_benchmarks(), crate::tests::Test);
}
