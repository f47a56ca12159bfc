//! Properties of every history.

use std::collections::{BTreeMap, BTreeSet};

use proptest::{collection::btree_map, option, prelude::*};

use super::{
    history::{dids, histories, issuer_ops, schemas, verifier_ops, Act, Deed, Role},
    model::Model,
    plain::{fold, stored},
    *,
};
use crate::limits::MAX_CHANGES;

/// Runs this many cases, or as many as `PROPTEST_CASES` says.
fn cases(count: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|count| count.parse().ok());
    ProptestConfig {
        cases: asked.unwrap_or(count),
        failure_persistence: None,
        // Two entries with the same key are drawn again, which happens a few times in every history.
        max_local_rejects: u32::MAX,
        ..ProptestConfig::default()
    }
}

/// The version that a call names: the registry's, plus a difference.
fn version_at(difference: Option<i8>) -> Option<u32> {
    let version = stored().version();
    difference.map(|difference| version.wrapping_add_signed(difference.into()))
}

fn call(deed: &Deed) -> Call<Test> {
    let registry_id = REGISTRY;
    let set = |dids: &[Did]| dids.iter().cloned().collect();
    match deed.clone() {
        Deed::Update(update, difference) => {
            Call::set_schemas_metadata { registry_id, update, expected_version: version_at(difference) }
        }
        Deed::Delegate(delegated) => Call::update_delegated_issuers { registry_id, delegated },
        Deed::Suspend(Role::Issuer, dids) => Call::suspend_issuers { registry_id, issuers: set(&dids) },
        Deed::Suspend(Role::Verifier, dids) => Call::suspend_verifiers { registry_id, verifiers: set(&dids) },
        Deed::Unsuspend(Role::Issuer, dids) => Call::unsuspend_issuers { registry_id, issuers: set(&dids) },
        Deed::Unsuspend(Role::Verifier, dids) => Call::unsuspend_verifiers { registry_id, verifiers: set(&dids) },
        Deed::Name(name) => {
            Call::init_or_update_trust_registry { registry_id, name: name.into(), gov_framework: vec![] }
        }
        Deed::Offer(new_convener) | Deed::HandOver(new_convener) => {
            Call::transfer_trust_registry { registry_id, new_convener }
        }
        Deed::Accept => Call::accept_trust_registry { registry_id },
        Deed::Remove => Call::remove_trust_registry { registry_id },
    }
}

fn make(deed: &Act) -> DispatchResult {
    let call = call(&deed.deed);
    if let Deed::HandOver(_) = deed.deed {
        let result = RuntimeCall::TrustRegistry(call).dispatch(RuntimeOrigin::root());
        return result.map(|_| ()).map_err(|failure| failure.error);
    }
    act(deed.actor.clone(), call)
}

/// Plays a history on the ledger and the model, and calls `look` after each call.
fn play(history: &[Act], mut look: impl FnMut(&Act, &Model)) {
    ledger(|| {
        let mut model = Model::default();
        for deed in history {
            let expected = model.after(deed);
            let result = make(deed);
            assert_eq!(result, expected.as_ref().map(|_| ()).map_err(|refusal| *refusal), "{deed:?}");
            model = expected.unwrap_or(model);
            look(deed, &model);
        }
    });
}

/// The DIDs that may issue or verify each schema, straight from the definition.
fn authorized(model: &Model) -> BTreeSet<(H256, Did, bool)> {
    let mut all = BTreeSet::new();
    for (id, schema) in &model.schemas {
        let dids = (1..6).map(did).filter(|did| !model.suspended.contains(did));
        for who in dids {
            let lends = |(issuer, delegate): &(Did, Did)| {
                *delegate == who && schema.issuers.contains_key(issuer) && !model.suspended.contains(issuer)
            };
            if schema.issuers.contains_key(&who) || model.delegations.iter().any(lends) {
                all.insert((*id, who.clone(), true));
            }
            if schema.public || schema.verifiers.contains(&who) {
                all.insert((*id, who, false));
            }
        }
    }
    all
}

/// The same set from the answers of the ledger.
fn answered() -> BTreeSet<(H256, Did, bool)> {
    let mut all = BTreeSet::new();
    for (id, who) in (1..3).flat_map(|number| (1..6).map(move |who| (schema(number), did(who)))) {
        for (role, is_issuer) in [(crate::Role::Issuer, true), (crate::Role::Verifier, false)] {
            let answer = Pallet::<Test>::authorized(REGISTRY, id, who.clone(), role).expect("an answer");
            if answer.is_authorized() {
                all.insert((id, who.clone(), is_issuer));
            }
        }
    }
    all
}

/// The effect of an update by its events, in the form of a preview.
fn told() -> Preview {
    let mut preview = Preview { changes: vec![], ended_delegations: vec![] };
    for event in events() {
        let change = match event {
            Event::SchemaAdded { schema_id, .. } => Change::SchemaAdded { schema_id },
            Event::SchemaRemoved { schema_id, .. } => Change::SchemaRemoved { schema_id },
            Event::SchemaPublicSet { schema_id, public, .. } => Change::PublicSet { schema_id, public },
            Event::IssuerChanged { schema_id, issuer, old, new, .. } => {
                Change::Issuer { schema_id, did: issuer, old, new }
            }
            Event::VerifierChanged { schema_id, verifier, new, .. } => {
                Change::Verifier { schema_id, did: verifier, listed: new }
            }
            Event::DelegateRemoved { issuer, delegate, .. } => {
                preview.ended_delegations.push(EndedDelegation { issuer, delegate });
                continue;
            }
            _ => continue,
        };
        preview.changes.push(change);
    }
    preview
}

/// Whether an update names only the state to reach, so that it can be made again and again.
fn says_only_what_is_to_be(update: &SchemasUpdate) -> bool {
    let written = format!("{update:?}");
    !written.contains("Add") && !written.contains("Remove")
}

/// Changes of participants, by schema, DID and role.
type Changes = BTreeMap<(H256, Did), (Option<IssuerOp>, Option<VerifierOp>, bool)>;

/// The part of the changes that goes into the first or the second of two updates.
fn part(changes: &Changes, of_second: bool) -> SchemasUpdate {
    let mut ops: BTreeMap<H256, MetadataUpdate> = BTreeMap::new();
    for ((schema_id, did), (issuer, verifier, crossed)) in changes {
        let update = ops.entry(*schema_id).or_default();
        if let Some(op) = issuer.clone().filter(|_| *crossed == of_second) {
            let IssuersUpdate::Modify(ops) = update.issuers.get_or_insert(IssuersUpdate::Modify(BTreeMap::new()))
            else {
                panic!("a list of changes")
            };
            ops.insert(did.clone(), op);
        }
        if let Some(op) = verifier.clone().filter(|_| *crossed != of_second) {
            let VerifiersUpdate::Modify(ops) = update.verifiers.get_or_insert(VerifiersUpdate::Modify(BTreeMap::new()))
            else {
                panic!("a list of changes")
            };
            ops.insert(did.clone(), op);
        }
    }
    ops.retain(|_, update| *update != MetadataUpdate::default());
    SchemasUpdate::Modify(ops.into_iter().map(|(id, update)| (id, SchemaOp::Modify(update))).collect())
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn the_pallet_does_and_refuses_what_a_naive_model_does_and_refuses_and_events_alone_rebuild_it(
        history in histories(),
    ) {
        let mut folded = Model::default();
        play(&history, |deed, model| {
            events().into_iter().for_each(|event| fold(&mut folded, event));
            assert_eq!(stored(), *model, "{deed:?}");
            assert_eq!(folded, *model, "{deed:?}");
        });
    }

    #[test]
    fn a_preview_tells_what_an_update_does_and_nothing_is_left_to_do_after_it(history in histories()) {
        ledger(|| {
            for deed in &history {
                let Deed::Update(update, difference) = &deed.deed else {
                    let _ = make(deed);
                    continue;
                };
                let preview = |version| {
                    Pallet::<Test>::preview_schemas_metadata(deed.actor.clone(), REGISTRY, update.clone(), version)
                };
                let before = preview(version_at(*difference));
                events();
                let result = make(deed);
                assert_eq!(before, result.map(|()| told()), "{deed:?}");
                if result.is_ok() {
                    let again = preview(version_at(*difference));
                    let nothing = Preview { changes: vec![], ended_delegations: vec![] };
                    let is_convener = stored().chair.is_some_and(|chair| chair.convener == deed.actor);
                    let must_work = is_convener && says_only_what_is_to_be(update);
                    assert!(again == Ok(nothing) || again.is_err() && !must_work, "{deed:?}: {again:?}");
                }
            }
        });
    }

    #[test]
    fn nobody_but_the_convener_authorises_anyone_except_an_unsuspended_issuer_its_delegates(history in histories()) {
        let (mut before, mut was) = (BTreeSet::new(), Model::default());
        play(&history, |deed, model| {
            let now = authorized(model);
            if now != before {
                assert_eq!(answered(), now, "{deed:?}");
            }
            let gained: Vec<_> = now.difference(&before).collect();
            let convenes = was.chair.as_ref().is_some_and(|chair| chair.convener == deed.actor);
            if !convenes && !gained.is_empty() {
                assert!(matches!(deed.deed, Deed::Delegate(_)), "{deed:?} gave {gained:?}");
                assert!(!was.suspended.contains(&deed.actor), "{deed:?} gave {gained:?}");
            }
            before = now;
            was = model.clone();
        });
    }

    /// Public schemas are left out, because a verifier or a price that comes first makes them refuse the other.
    /// Delegations are not compared: they depend on whether their issuer was without a schema in between.
    #[test]
    fn modifies_of_different_participants_commute(
        changes in btree_map((schemas(), dids()), (option::of(issuer_ops()), option::of(verifier_ops()), any::<bool>()), 1..8),
    ) {
        let updates = [part(&changes, false), part(&changes, true)];
        let after = |order: [usize; 2]| {
            let mut end = None;
            with_registry(|| {
                let priced = Metadata { issuers: [(did(2), prices(&[("EUR", 1)]))].into(), verifiers: None };
                add(schema(1), metadata(&[did(2), did(3)], &[did(3), did(4)]));
                add(schema(2), priced);
                let mut results = [Ok(()), Ok(())];
                for index in order {
                    results[index] = update(CONVENER, updates[index].clone());
                }
                end = Some((stored().schemas, version(), results));
            });
            end
        };
        assert_eq!(after([0, 1]), after([1, 0]));
    }
}

/// A replacement or removal that names this many DIDs itself.
fn whole(kind: u8, named: u32) -> SchemasUpdate {
    let dids = || (2_000..2_000 + named).map(numbered);
    let all = || Metadata { issuers: dids().map(|did| (did, PricesInput::new())).collect(), verifiers: None };
    match kind {
        0 => SchemasUpdate::Set([(schema(1), all())].into()),
        1 => one(schema(1), SchemaOp::Set(all())),
        2 => one(schema(1), SchemaOp::Modify(issuers(IssuersUpdate::Set(all().issuers)))),
        3 => one(schema(1), SchemaOp::Modify(verifiers(VerifiersUpdate::Set(dids().collect())))),
        // A removal names nothing but the schema.
        4 => one(schema(1), SchemaOp::Remove),
        _ => one(schema(1), SchemaOp::Discard),
    }
}

/// Sizes below, at and around the limit.
fn sizes() -> impl Strategy<Value = (u8, u32, u32)> {
    let near = (0u32..999, 0u32..5).prop_map(|(stored, more)| (stored, (999 - stored).saturating_sub(2) + more));
    (0u8..6, prop_oneof![near, (0u32..999, 0u32..999)]).prop_map(|(kind, (stored, named))| (kind, stored, named))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(150).cases.div_ceil(15), ..cases(0) })]

    #[test]
    fn an_update_weighs_at_most_what_it_declares_at_any_stored_size_and_is_refused_beyond_the_limit(
        (kind, in_store, named) in sizes(),
    ) {
        with_registry(|| {
            let ops = (0..in_store).map(|number| (numbered(number), VerifierOp::Ensure)).collect();
            let participants = (in_store > 0).then_some(VerifiersUpdate::Modify(ops));
            let ensure = MetadataUpdate { issuers: None, verifiers: participants };
            assert_eq!(update(CONVENER, one(schema(1), SchemaOp::Ensure(ensure))), Ok(()));
            let schemas_in_store = u32::from(kind == 0);
            let visited = 1 + in_store + schemas_in_store + if kind < 4 { named } else { 0 };
            let expected =
                if visited > MAX_CHANGES { Err(Error::<Test>::TooManyChanges.into()) } else { Ok(()) };
            // The actual weight is compared with the declared one in `act`.
            let result = update_at(CONVENER, whole(kind, named), Some(version()));
            assert_eq!(result, expected, "{kind} {in_store} {named}");
        });
    }
}
