use frame_support::{assert_noop, assert_ok, traits::Contains};

use super::*;

const REMOVE: Call<Test> = Call::remove_trust_registry { registry_id: REGISTRY };

#[test]
fn a_removed_registry_is_gone_for_ever_and_frees_its_convener() {
    with_registry(|| {
        assert_ok!(act(CONVENER, Call::transfer_trust_registry { registry_id: REGISTRY, new_convener: did(2) }));
        events();
        assert_ok!(act(CONVENER, REMOVE));
        assert_eq!(events(), [Event::TrustRegistryRemoved { registry_id: REGISTRY }]);
        assert!(!Conveners::<Test>::contains(&CONVENER));
        assert_noop!(act(CONVENER, REMOVE), Error::<Test>::Removed);
        assert_noop!(update(CONVENER, one(schema(1), SchemaOp::Discard)), Error::<Test>::Removed);
        assert_noop!(act(did(2), Call::accept_trust_registry { registry_id: REGISTRY }), Error::<Test>::Removed);
    });
}

#[test]
fn refused_are_others_unknown_ids_and_registries_with_schemas() {
    with_registry(|| {
        assert_noop!(act(did(2), REMOVE), Error::<Test>::NotAuthorized);
        let elsewhere = Call::remove_trust_registry { registry_id: H256([7; 32]) };
        assert_noop!(act(CONVENER, elsewhere), Error::<Test>::NotFound);
        add(schema(1), metadata(&[], &[]));
        assert_noop!(act(CONVENER, REMOVE), Error::<Test>::SchemasLeft);
        assert_ok!(update(CONVENER, one(schema(1), SchemaOp::Remove)));
        assert_ok!(act(CONVENER, REMOVE));
    });
}
