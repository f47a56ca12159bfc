//! What holds for every history.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::{
    history::{histories, updates, Act, Deed, Role},
    model::{Model, ModelSchema},
    *,
};

fn call(deed: &Deed) -> Call<Test> {
    let registry_id = REGISTRY;
    let set = |dids: &[Did]| dids.iter().copied().collect();
    match deed.clone() {
        Deed::Update(update, difference) => {
            let expected_version = difference.map(|difference| version().wrapping_add_signed(difference.into()));
            Call::set_schemas_metadata { registry_id, update, expected_version }
        }
        Deed::Delegate(delegated) => Call::update_delegated_issuers { registry_id, delegated },
        Deed::Suspend(Role::Issuer, dids) => Call::suspend_issuers { registry_id, issuers: set(&dids) },
        Deed::Suspend(Role::Verifier, dids) => Call::suspend_verifiers { registry_id, verifiers: set(&dids) },
        Deed::Unsuspend(Role::Issuer, dids) => Call::unsuspend_issuers { registry_id, issuers: set(&dids) },
        Deed::Unsuspend(Role::Verifier, dids) => Call::unsuspend_verifiers { registry_id, verifiers: set(&dids) },
    }
}

/// The registry as storage has it.
fn stored() -> Model {
    let mut model = Model { version: version(), ..Model::default() };
    for (schema_id, schema) in Schemas::<Test>::iter_prefix(REGISTRY) {
        model.schemas.insert(schema_id, ModelSchema { public: schema.public, ..ModelSchema::default() });
    }
    for ((_, schema_id, did), entry) in Entries::<Test>::iter() {
        let schema = model.schemas.get_mut(&schema_id).expect("the schema of an entry");
        if let Some(prices) = entry.issuer {
            schema.issuers.insert(did, plain(prices));
        }
        if entry.verifier {
            schema.verifiers.insert(did);
        }
    }
    for (did, standing) in Standings::<Test>::iter_prefix(REGISTRY) {
        if standing.suspended {
            model.suspended.insert(did);
        }
        model.delegations.extend(standing.delegates.into_iter().map(|delegate| (did, delegate)));
    }
    model
}

fn plain(prices: Prices) -> BTreeMap<Vec<u8>, u128> {
    prices.into_iter().map(|(currency, price)| (currency.0.into_inner(), price)).collect()
}

/// The registry as its events tell it; each event must fit to what was before.
fn fold(model: &mut Model, event: Event<Test>) {
    fn schema(model: &mut Model, id: H256) -> &mut ModelSchema {
        model.schemas.get_mut(&id).expect("a schema that was told")
    }
    match event {
        Event::SchemaAdded { schema_id, .. } => {
            assert_eq!(model.schemas.insert(schema_id, ModelSchema::default()), None);
        }
        Event::SchemaRemoved { schema_id, .. } => {
            let last = model.schemas.remove(&schema_id).expect("a schema that was told");
            assert!(last.issuers.is_empty() && last.verifiers.is_empty());
        }
        Event::SchemaPublicSet { schema_id, public, .. } => {
            assert_ne!(std::mem::replace(&mut schema(model, schema_id).public, public), public);
        }
        Event::IssuerChanged { schema_id, issuer, old, new, .. } => {
            assert_ne!(old, new);
            let issuers = &mut schema(model, schema_id).issuers;
            assert_eq!(issuers.remove(&issuer), old.map(plain));
            issuers.extend(new.map(|prices| (issuer, plain(prices))));
        }
        Event::VerifierChanged { schema_id, verifier, old, new, .. } => {
            let verifiers = &mut schema(model, schema_id).verifiers;
            assert_eq!((verifiers.contains(&verifier), new), (old, !old));
            let _ = if new { verifiers.insert(verifier) } else { verifiers.remove(&verifier) };
        }
        Event::SchemasMetadataSet { version, .. } => {
            assert_eq!(version, model.version + 1);
            model.version = version;
        }
        Event::IssuerSuspended { issuer: did, .. } | Event::VerifierSuspended { verifier: did, .. } => {
            assert!(model.suspended.insert(did));
        }
        Event::IssuerUnsuspended { issuer: did, .. } | Event::VerifierUnsuspended { verifier: did, .. } => {
            assert!(model.suspended.remove(&did));
        }
        Event::DelegateAdded { issuer, delegate, .. } => assert!(model.delegations.insert((issuer, delegate))),
        Event::DelegateRemoved { issuer, delegate, .. } => assert!(model.delegations.remove(&(issuer, delegate))),
        other => panic!("an event of another call: {other:?}"),
    }
}

/// Plays a history on ledger and model, and looks after each call.
fn play(history: &[Act], mut look: impl FnMut(&Act, &Model, DispatchResult)) {
    with_registry(|| {
        let mut model = Model::default();
        for deed in history {
            let expected = model.after(deed);
            let result = act(deed.actor, call(&deed.deed));
            assert_eq!(result, expected.as_ref().map(|_| ()).map_err(|refusal| *refusal), "{deed:?}");
            model = expected.unwrap_or(model);
            assert_eq!(Pallet::<Test>::check_invariants(), Ok(()), "{deed:?}");
            look(deed, &model, result);
        }
    });
}

/// Who may issue or verify what, straight from the definition.
fn authorized(model: &Model) -> BTreeSet<(H256, Did, bool)> {
    let mut all = BTreeSet::new();
    for (id, schema) in &model.schemas {
        let dids = (1..6).map(did).filter(|did| !model.suspended.contains(did));
        for who in dids {
            let lends = |(issuer, delegate): &(Did, Did)| {
                *delegate == who && schema.issuers.contains_key(issuer) && !model.suspended.contains(issuer)
            };
            if schema.issuers.contains_key(&who) || model.delegations.iter().any(lends) {
                all.insert((*id, who, true));
            }
            if schema.public || schema.verifiers.contains(&who) {
                all.insert((*id, who, false));
            }
        }
    }
    all
}

/// 50 cases, or what `PROPTEST_CASES` asks for.
fn few_or_as_many_as_asked() -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|count| count.parse().ok());
    ProptestConfig { cases: asked.unwrap_or(50), failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(few_or_as_many_as_asked())]

    #[test]
    fn the_pallet_does_and_refuses_what_a_naive_model_does_and_refuses(history in histories()) {
        play(&history, |deed, model, _| assert_eq!(stored(), *model, "{deed:?}"));
    }

    #[test]
    fn events_alone_rebuild_the_registry(history in histories()) {
        let mut folded = Model::default();
        play(&history, |deed, _, _| {
            events().into_iter().for_each(|event| fold(&mut folded, event));
            assert_eq!(stored(), folded, "{deed:?}");
        });
    }

    #[test]
    fn the_same_update_again_changes_nothing(history in histories(), again in updates()) {
        let kept = Act { actor: CONVENER, deed: Deed::Update(again, Some(0)) };
        let history = [history, vec![kept.clone()]].concat();
        let mut last = Err(sp_runtime::DispatchError::Other("not played"));
        with_registry(|| {
            for deed in &history {
                last = act(deed.actor, call(&deed.deed));
            }
            if last.is_ok() {
                events();
                let before = version();
                if act(kept.actor, call(&kept.deed)).is_ok() {
                    assert_eq!((events(), version()), (vec![], before));
                }
            }
        });
    }

    #[test]
    fn nobody_but_the_convener_authorises_anyone_except_an_issuer_its_delegates(history in histories()) {
        let mut before = BTreeSet::new();
        let mut was = Model::default();
        play(&history, |deed, model, _| {
            let now = authorized(model);
            let gained: Vec<_> = now.difference(&before).collect();
            if deed.actor != CONVENER && !gained.is_empty() {
                assert!(matches!(deed.deed, Deed::Delegate(_)), "{deed:?} gave {gained:?}");
                assert!(!was.suspended.contains(&deed.actor), "{deed:?} gave {gained:?}");
            }
            before = now;
            was = model.clone();
        });
    }
}
