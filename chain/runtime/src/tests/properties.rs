//! Properties of every history of batches, in which some actions fail and their events are undone.

use std::collections::{BTreeMap, BTreeSet};

use pallet_revocation::{Kind, KindInput};
use pallet_trust_registry::RegistryState;
use proptest::{collection::vec, prelude::*};

use super::*;

/// Runs 250 cases, or as many as `PROPTEST_CASES` says.
fn cases() -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|count| count.parse().ok());
    ProptestConfig { cases: asked.unwrap_or(250), failure_persistence: None, ..ProptestConfig::default() }
}

/// Parts of the three pallets' state, either read from storage or rebuilt from events.
#[derive(Debug, Default, PartialEq)]
struct Plain {
    nonces: BTreeMap<Did, u32>,
    active: BTreeSet<DidId>,
    /// Conveners of registries that are in use.
    conveners: BTreeMap<H256, Did>,
    /// Versions of revocation registries.
    versions: BTreeMap<H256, u32>,
    revoked: BTreeSet<(H256, u32)>,
}

impl Plain {
    fn stored() -> Self {
        let mut plain = Self { nonces: pallet_did::Nonces::<Runtime>::iter().collect(), ..Self::default() };
        let active = |(did, state)| matches!(state, pallet_did::DidState::Active(_)).then_some(did);
        plain.active = pallet_did::Dids::<Runtime>::iter().filter_map(active).collect();
        for (id, state) in pallet_trust_registry::Registries::<Runtime>::iter() {
            if let RegistryState::Active(registry) = state {
                plain.conveners.insert(id, registry.convener);
            }
        }
        for (id, state) in pallet_revocation::Registries::<Runtime>::iter() {
            if let pallet_revocation::RegistryState::Active(registry) = state {
                assert!(matches!(registry.kind, Kind::StatusList { .. }));
                plain.versions.insert(id, registry.version);
                let is_set = |index: &u32| pallet_revocation::Pallet::<Runtime>::is_revoked(id, *index);
                plain.revoked.extend((0..4).filter(is_set).map(|index| (id, index)));
            }
        }
        plain
    }

    fn tell(&mut self, event: RuntimeEvent) {
        use pallet_did::Event as DidEvent;
        use pallet_revocation::Event as RevocationEvent;
        use pallet_trust_registry::Event as RegistryEvent;
        match event {
            RuntimeEvent::Did(DidEvent::Created { did, .. }) => assert!(self.active.insert(did)),
            RuntimeEvent::Did(DidEvent::Dispatched { did, nonce, .. }) => {
                assert_eq!(self.nonces.insert(did, nonce).unwrap_or(0) + 1, nonce);
            }
            RuntimeEvent::Did(DidEvent::Deactivated { did }) => {
                assert!(self.active.remove(&did));
                self.nonces.remove(&did.into());
            }
            RuntimeEvent::TrustRegistry(RegistryEvent::TrustRegistryInitialized { registry_id, convener, .. }) => {
                assert_eq!(self.conveners.insert(registry_id, convener), None);
            }
            RuntimeEvent::TrustRegistry(RegistryEvent::TrustRegistryRemoved { registry_id }) => {
                assert!(self.conveners.remove(&registry_id).is_some());
            }
            RuntimeEvent::Revocation(RevocationEvent::RegistryCreated { registry_id, .. }) => {
                assert_eq!(self.versions.insert(registry_id, 0), None);
            }
            RuntimeEvent::Revocation(RevocationEvent::StatusChanged { registry_id, revoked, version, .. }) => {
                assert_eq!(self.versions.insert(registry_id, version), Some(version - 1));
                assert!(revoked.into_iter().all(|index| self.revoked.insert((registry_id, index))));
            }
            _ => {}
        }
    }
}

/// One call of a DID, which may be refused.
fn call(seed: u8, kind: u8, number: u8) -> RuntimeCall {
    let did = id_of(seed);
    let registry_id = H256([number; 32]);
    match kind {
        0 => registry(number),
        1 => RuntimeCall::TrustRegistry(pallet_trust_registry::Call::remove_trust_registry { registry_id }),
        2 => RuntimeCall::Revocation(pallet_revocation::Call::create {
            registry_id,
            policy: [Did::Svc(did)].into(),
            add_only: false,
            kind: KindInput::StatusList { length: 131_072 },
        }),
        3 => {
            let (revoke, unrevoke) = ([u32::from(number)].into(), Default::default());
            RuntimeCall::Revocation(pallet_revocation::Call::set_status { registry_id, revoke, unrevoke })
        }
        4 => RuntimeCall::Did(pallet_did::Call::remove_service { did, id: b"none".to_vec() }),
        _ => RuntimeCall::Did(pallet_did::Call::deactivate { did }),
    }
}

/// An action: the seed of its DID, the error of its nonce, and its calls by kind and number.
type Action = (u8, u32, Vec<(u8, u8)>);

fn actions() -> impl Strategy<Value = Action> {
    let kinds =
        prop_oneof![6 => Just(0u8), 2 => Just(1u8), 5 => Just(2u8), 8 => Just(3u8), 2 => Just(4u8), 1 => Just(5u8)];
    let ahead = prop_oneof![8 => Just(0u32), 1 => Just(1u32)];
    (1u8..3, ahead, vec((kinds, 1u8..4), 1..3))
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn events_alone_rebuild_the_ledger_across_batches_and_failures(
        history in vec(vec(actions(), 1..5), 1..4),
    ) {
        ledger(|| {
            let mut folded = Plain::default();
            for seed in [1, 2] {
                assert_eq!(send(creation(seed)), Ok(()));
            }
            events().into_iter().for_each(|event| folded.tell(event));
            for batch in history {
                // The sender gives nonces as if every action will work.
                let mut next = folded.nonces.clone();
                let calls = batch.into_iter().map(|(seed, ahead, calls)| {
                    let nonce = next.entry(id_of(seed).into()).or_default();
                    *nonce += 1;
                    dispatch(seed, *nonce + ahead, calls.iter().map(|(kind, number)| call(seed, *kind, *number)).collect())
                });
                let calls = calls.collect();
                assert_eq!(send(RuntimeCall::Utility(pallet_utility::Call::force_batch { calls })), Ok(()));
                events().into_iter().for_each(|event| folded.tell(event));
                assert_eq!(Plain::stored(), folded);
            }
        });
    }
}
