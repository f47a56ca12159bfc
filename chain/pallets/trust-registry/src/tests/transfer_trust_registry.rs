use frame_support::{assert_noop, assert_ok, traits::Contains};
use sp_runtime::DispatchError;

use super::*;

fn offer(new_convener: Did) -> Call<Test> {
    Call::transfer_trust_registry { registry_id: REGISTRY, new_convener }
}

fn by_root(new_convener: Did) -> DispatchResult {
    let result = RuntimeCall::TrustRegistry(offer(new_convener)).dispatch(RuntimeOrigin::root());
    result.map(|_| ()).map_err(|failure| failure.error)
}

#[test]
fn an_offer_is_told_with_the_one_it_replaces_and_changes_nothing_yet() {
    with_registry(|| {
        assert_ok!(act(CONVENER, offer(did(2))));
        assert_ok!(act(CONVENER, offer(did(2))));
        assert_ok!(act(CONVENER, offer(did(3))));
        let proposed = |old, new| Event::TransferProposed { registry_id: REGISTRY, old, new };
        assert_eq!(events(), [proposed(None, did(2)), proposed(Some(did(2)), did(3))]);
        assert!(Conveners::<Test>::contains(&CONVENER));
        assert_noop!(update(did(3), one(schema(1), SchemaOp::Discard)), Error::<Test>::NotAuthorized);
    });
}

#[test]
fn root_hands_a_registry_over_at_once() {
    with_registry(|| {
        assert_ok!(act(CONVENER, offer(did(3))));
        events();
        assert_ok!(by_root(did(2)));
        assert_eq!(events(), [Event::Transferred { registry_id: REGISTRY, old: CONVENER, new: did(2) }]);
        assert_noop!(act(did(3), Call::accept_trust_registry { registry_id: REGISTRY }), Error::<Test>::NotFound);
        assert_noop!(by_root(did(2)), Error::<Test>::AlreadyExists);
    });
}

#[test]
fn other_actors_the_convener_itself_and_dids_that_cannot_act_are_refused() {
    with_registry(|| {
        let nobody = Did::Svc(pallet_did::DidId([9; 32]));
        assert_noop!(act(did(2), offer(did(2))), Error::<Test>::NotAuthorized);
        assert_noop!(act(CONVENER, offer(CONVENER)), Error::<Test>::AlreadyExists);
        assert_noop!(act(CONVENER, offer(nobody.clone())), Error::<Test>::Inactive);
        assert_noop!(by_root(nobody), Error::<Test>::Inactive);
        let elsewhere = Call::transfer_trust_registry { registry_id: H256([7; 32]), new_convener: did(2) };
        assert_noop!(act(CONVENER, elsewhere), Error::<Test>::NotFound);
        let signed = RuntimeCall::TrustRegistry(offer(did(2))).dispatch(RuntimeOrigin::signed(7));
        assert_eq!(signed.expect_err("a refusal").error, DispatchError::BadOrigin);
    });
}
