use frame_support::{assert_noop, assert_ok};
use sp_runtime::DispatchError;

use super::*;
use crate::limits::*;

fn call(name: &str, gov_framework: &str) -> Call<Test> {
    let (name, gov_framework) = (name.as_bytes().to_vec(), gov_framework.as_bytes().to_vec());
    Call::init_or_update_trust_registry { registry_id: REGISTRY, name, gov_framework }
}

fn name(text: &str) -> Name {
    text.as_bytes().to_vec().try_into().expect("a short name")
}

fn gov(text: &str) -> GovFramework {
    text.as_bytes().to_vec().try_into().expect("a short reference")
}

#[test]
fn whoever_creates_a_registry_convenes_it() {
    ledger(|| {
        assert_ok!(act(CONVENER, call("A", "x")));
        let initialized = Event::TrustRegistryInitialized {
            registry_id: REGISTRY,
            convener: CONVENER,
            name: name("A"),
            gov_framework: gov("x"),
        };
        assert_eq!(events(), [initialized]);
        assert_eq!(version(), 0);
        assert!(<Conveners<Test> as frame_support::traits::Contains<Did>>::contains(&CONVENER));
    });
}

#[test]
fn the_convener_changes_name_and_reference_and_a_change_to_the_same_tells_nothing() {
    ledger(|| {
        assert_ok!(act(CONVENER, call("A", "x")));
        events();
        assert_ok!(act(CONVENER, call("B", "x")));
        let updated = Event::TrustRegistryUpdated {
            registry_id: REGISTRY,
            old_name: name("A"),
            new_name: name("B"),
            old_gov_framework: gov("x"),
            new_gov_framework: gov("x"),
        };
        assert_eq!(events(), [updated]);
        assert_ok!(act(CONVENER, call("B", "x")));
        assert_eq!(events(), []);
        assert_eq!(version(), 0);
    });
}

#[test]
fn other_actors_long_texts_and_removed_ids_are_refused() {
    with_registry(|| {
        assert_noop!(act(did(2), call("B", "x")), Error::<Test>::NotAuthorized);
        assert_noop!(act(CONVENER, call(&"x".repeat(MAX_NAME as usize + 1), "x")), Error::<Test>::NameTooLong);
        let long = "x".repeat(MAX_GOV_FRAMEWORK as usize + 1);
        assert_noop!(act(CONVENER, call("B", &long)), Error::<Test>::GovFrameworkTooLong);
        assert_ok!(act(CONVENER, Call::remove_trust_registry { registry_id: REGISTRY }));
        assert_noop!(act(CONVENER, call("B", "x")), Error::<Test>::Removed);
    });
}

#[test]
fn an_account_convenes_nothing() {
    ledger(|| {
        let call = RuntimeCall::TrustRegistry(call("A", "x"));
        for origin in [RuntimeOrigin::signed(7), RuntimeOrigin::root(), RuntimeOrigin::none()] {
            let refusal = call.clone().dispatch(origin).expect_err("a refusal");
            assert_eq!(refusal.error, DispatchError::BadOrigin);
        }
    });
}

#[test]
fn a_did_acts_through_a_key_for_authentication_or_capability_invocation_and_no_other() {
    for (relationships, expected) in
        [(1, Ok(())), (4, Ok(())), (2, Err(DispatchError::BadOrigin)), (8, Err(DispatchError::BadOrigin))]
    {
        ledger(|| {
            let origin = DidOrigin { did: CONVENER, relationships: Relationships(relationships) };
            let result = RuntimeCall::TrustRegistry(call("A", "x")).dispatch(origin.into());
            assert_eq!(result.map(|_| ()).map_err(|failure| failure.error), expected, "{relationships}");
        });
    }
}
