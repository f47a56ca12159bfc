//! Properties of every history.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::{history::histories, model::Model, *};

/// Runs 150 cases, or as many as `PROPTEST_CASES` says.
fn cases() -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|count| count.parse().ok());
    ProptestConfig { cases: asked.unwrap_or(150), failure_persistence: None, ..ProptestConfig::default() }
}

/// Gives an update the version of its registry, or the version before that if it came with 0.
fn versioned(call: Call<Test>) -> Call<Test> {
    let Call::update_accumulator {
        registry_id,
        expected_version,
        accumulated,
        additions,
        removals,
        witness_update_info,
    } = call
    else {
        return call;
    };
    let current = match Registries::<Test>::get(registry_id) {
        Some(RegistryState::Active(registry)) => registry.version,
        _ => 0,
    };
    let expected_version = if expected_version > 0 { current } else { current.wrapping_sub(1) };
    Call::update_accumulator { registry_id, expected_version, accumulated, additions, removals, witness_update_info }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn the_pallet_does_and_refuses_what_a_naive_model_does_and_refuses_and_events_alone_rebuild_it(
        history in histories(),
    ) {
        ledger(|| {
            let (mut model, mut folded, mut for_ever) = (Model::default(), Model::default(), BTreeSet::new());
            for (actor, call) in history {
                let call = versioned(call);
                let expected = model.after(actor.clone(), &call);
                let result = act(actor, call.clone());
                assert_eq!(result, expected.as_ref().map(|_| ()).map_err(|refusal| *refusal), "{call:?}");
                model = expected.unwrap_or(model);
                events().into_iter().for_each(|event| folded.tell(event));
                assert_eq!(Model::stored(), model, "{call:?}");
                assert_eq!(folded, model, "{call:?}");
                let now = model.for_ever();
                assert!(now.is_superset(&for_ever), "{call:?} cleared what is revoked permanently");
                for_ever = now;
            }
        });
    }

    #[test]
    fn bits_set_and_cleared_in_any_order_of_disjoint_calls_are_the_same_set(
        parts in proptest::collection::vec((0u32..4_200, 0u8..3, any::<bool>()), 1..40),
    ) {
        // Each index belongs to one of three calls, which sets or clears it.
        let owner: BTreeMap<u32, (u8, bool)> =
            parts.into_iter().map(|(index, owner, set)| (index, (owner, set))).collect();
        let of = |who: u8, value: bool| -> Vec<u32> {
            owner.iter().filter(|(_, of)| **of == (who, value)).map(|(index, _)| *index).collect()
        };
        let after = |order: [u8; 3]| {
            let mut end: Option<BTreeMap<u32, [u8; 256]>> = None;
            with_list(false, || {
                assert_eq!(act(ISSUER, set(&(0..4_200).step_by(5).collect::<Vec<_>>(), &[])), Ok(()));
                for who in order {
                    let _ = act(ISSUER, set(&of(who, true), &of(who, false)));
                }
                end = Some(Chunks::<Test>::iter_prefix(REGISTRY).map(|(number, chunk)| (number, chunk.0)).collect());
            });
            end
        };
        let (last, others) = (after([2, 1, 0]), [after([0, 1, 2]), after([1, 2, 0])]);
        prop_assert!(others.iter().all(|other| *other == last));
    }
}
