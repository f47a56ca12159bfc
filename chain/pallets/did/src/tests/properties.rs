//! What holds for every history.

use std::collections::{BTreeMap, BTreeSet};

use proptest::{collection::vec, prelude::*};

use super::{
    dispatch_as::{first_act, Act},
    *,
};

/// The DIDs as one set of plain maps.
#[derive(Debug, Default, PartialEq)]
struct Folded {
    last_key: BTreeMap<DidId, u32>,
    keys: BTreeMap<(DidId, u32), (Vec<u8>, u8)>,
    revoked: BTreeSet<(DidId, u32)>,
    controllers: BTreeSet<(DidId, Did)>,
    services: BTreeMap<(DidId, ServiceField), Service>,
    deactivated: BTreeSet<DidId>,
    nonces: BTreeMap<Did, u32>,
}

impl Folded {
    fn stored() -> Self {
        let mut folded = Self::default();
        for (did, state) in crate::Dids::<Test>::iter() {
            match state {
                DidState::Active(record) => drop(folded.last_key.insert(did, record.last_key)),
                DidState::Deactivated => drop(folded.deactivated.insert(did)),
            }
        }
        let plain = |entry: KeyEntry| (entry.key.encode(), entry.relationships.0);
        folded.keys = Keys::<Test>::iter().map(|(did, number, entry)| ((did, number), plain(entry))).collect();
        let numbers = |(did, numbers): (DidId, _)| BTreeSet::<u32>::into_iter(numbers).map(move |number| (did, number));
        folded.revoked =
            RevokedKeys::<Test>::iter().map(|(did, set)| (did, set.into_inner())).flat_map(numbers).collect();
        folded.controllers = Controllers::<Test>::iter_keys().collect();
        folded.services = Services::<Test>::iter().map(|(did, id, service)| ((did, id), service)).collect();
        folded.nonces = Nonces::<Test>::iter().collect();
        folded
    }

    /// Adds what an event tells; it must fit to what was before.
    fn tell(&mut self, event: Event<Test>) {
        match event {
            Event::Created { did, .. } => assert_eq!(self.last_key.insert(did, 0), None),
            Event::Dispatched { did, nonce, .. } => {
                assert_eq!(self.nonces.insert(did, nonce).unwrap_or(0) + 1, nonce);
            }
            Event::KeyAdded { did, key_id, key, relationships } => {
                assert_eq!(self.last_key.insert(did, key_id), Some(key_id - 1));
                assert_eq!(self.keys.insert((did, key_id), (key.encode(), relationships.0)), None);
            }
            Event::KeyRetired { did, key_id } => assert!(self.keys.remove(&(did, key_id)).is_some()),
            Event::KeyRevoked { did, key_id } => {
                self.keys.remove(&(did, key_id));
                assert!(self.revoked.insert((did, key_id)));
            }
            Event::ControllerAdded { did, controller } => assert!(self.controllers.insert((did, controller))),
            Event::ControllerRemoved { did, controller } => assert!(self.controllers.remove(&(did, controller))),
            Event::ServiceSet { did, id, old, new } => {
                assert_ne!(old.as_ref(), Some(&new));
                assert_eq!(self.services.insert((did, id), new), old);
            }
            Event::ServiceRemoved { did, id, old } => assert_eq!(self.services.remove(&(did, id)), Some(old)),
            Event::Deactivated { did } => {
                assert!(self.last_key.remove(&did).is_some());
                self.keys.retain(|(of, _), _| *of != did);
                self.revoked.retain(|(of, _)| *of != did);
                self.controllers.retain(|(of, _)| *of != did);
                self.services.retain(|(of, _), _| *of != did);
                self.nonces.remove(&did.into());
                self.deactivated.insert(did);
            }
            Event::__Ignore(..) => unreachable!(),
        }
    }
}

/// Two DIDs of the ledger.
fn targets() -> impl Clone + Strategy<Value = DidId> {
    prop_oneof![Just(id_of(1)), Just(id_of(2))]
}

/// These two and two of the other method.
fn actors() -> impl Clone + Strategy<Value = Did> {
    prop_oneof![3 => targets().prop_map(Did::from), 1 => (3u8..5).prop_map(did_key)]
}

fn calls() -> impl Strategy<Value = Call<Test>> {
    let numbers = || proptest::collection::btree_set(0u32..6, 0..3);
    let controllers = || proptest::collection::btree_set(actors(), 0..3);
    let ids = || prop_oneof![Just("a"), Just("b")];
    let inputs = |did: DidId| {
        prop_oneof![
            2 => (1u8..6).prop_map(move |seed| proven(did, seed)),
            1 => Just(unproven(PublicKey::X25519([7; 32]))),
            1 => Just(unproven(public(1))),
        ]
    };
    prop_oneof![
        3 => targets().prop_flat_map(move |did| vec(inputs(did), 0..3).prop_map(move |keys| Call::add_keys { did, keys })),
        3 => targets().prop_flat_map(move |did| {
            (1u32..6, inputs(did)).prop_map(move |(old, new)| Call::rotate_key { did, old, new })
        }),
        2 => (targets(), numbers()).prop_map(|(did, keys)| Call::revoke_keys { did, keys }),
        2 => (targets(), controllers()).prop_map(|(did, controllers)| Call::add_controllers { did, controllers }),
        1 => (targets(), controllers()).prop_map(|(did, controllers)| Call::remove_controllers { did, controllers }),
        3 => (targets(), ids(), ids()).prop_map(|(did, id, end)| Call::set_service { did, service: service(id, end) }),
        1 => (targets(), ids()).prop_map(|(did, id)| Call::remove_service { did, id: id.as_bytes().to_vec() }),
        1 => targets().prop_map(|did| Call::deactivate { did }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn events_alone_rebuild_all_dids(history in vec((actors(), calls()), 1..40)) {
        ledger(|| {
            let mut folded = Folded::default();
            for seed in [1, 2] {
                assert_eq!(creation(seed).send(), Ok(()));
            }
            events().into_iter().for_each(|event| folded.tell(event));
            for (actor, call) in history {
                let is_refused = act(actor, call).is_err();
                let told = events();
                assert!(!is_refused || told.is_empty());
                told.into_iter().for_each(|event| folded.tell(event));
                assert_eq!(Folded::stored(), folded);
                assert_eq!(Pallet::<Test>::check_invariants(), Ok(()));
            }
        });
    }

    /// A sender that pipelines, fails at random, signs afresh and brings every old byte again.
    #[test]
    fn each_act_works_at_most_once(history in vec((0u32..3, any::<bool>(), any::<prop::sample::Index>()), 1..20)) {
        ledger(|| {
            let did = created(1);
            let (mut last, mut done, mut signed): (u32, u32, Vec<Act>) = (0, 0, vec![]);
            for (ahead, fails, replayed) in history {
                let call = if fails {
                    Call::remove_service { did, id: b"none".to_vec() }
                } else {
                    Call::set_service { did, service: service("count", &done.to_string()) }
                };
                let act = first_act(did, 1, vec![call]).with(|payload| payload.nonce = last + ahead);
                let works = ahead == 1 && !fails;
                assert_eq!(act.send().is_ok(), works);
                if works {
                    last += 1;
                    done += 1;
                    signed.push(act);
                }
                if !signed.is_empty() {
                    assert!(replayed.get(&signed).send().is_err());
                }
                assert_eq!(Nonces::<Test>::get(Did::from(did)), last);
            }
        });
    }
}
