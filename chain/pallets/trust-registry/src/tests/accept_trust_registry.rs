use frame_support::{assert_noop, assert_ok, traits::Contains};

use super::*;

const ACCEPT: Call<Test> = Call::accept_trust_registry { registry_id: REGISTRY };

#[test]
fn whoever_accepts_an_offer_convenes_and_the_old_convener_does_not() {
    with_registry(|| {
        assert_ok!(act(CONVENER, Call::transfer_trust_registry { registry_id: REGISTRY, new_convener: did(2) }));
        events();
        assert_ok!(act(did(2), ACCEPT));
        assert_eq!(events(), [Event::Transferred { registry_id: REGISTRY, old: CONVENER, new: did(2) }]);
        assert!(Conveners::<Test>::contains(&did(2)) && !Conveners::<Test>::contains(&CONVENER));
        assert_noop!(update(CONVENER, one(schema(1), SchemaOp::Discard)), Error::<Test>::NotAuthorized);
        assert_noop!(act(did(2), ACCEPT), Error::<Test>::NotFound);
    });
}

#[test]
fn other_actors_registries_not_offered_and_unknown_ids_are_refused() {
    with_registry(|| {
        assert_noop!(act(did(2), ACCEPT), Error::<Test>::NotFound);
        assert_ok!(act(CONVENER, Call::transfer_trust_registry { registry_id: REGISTRY, new_convener: did(2) }));
        assert_noop!(act(did(3), ACCEPT), Error::<Test>::NotAuthorized);
        let elsewhere = Call::accept_trust_registry { registry_id: H256([7; 32]) };
        assert_noop!(act(did(2), elsewhere), Error::<Test>::NotFound);
    });
}
