use frame_support::{assert_noop, assert_ok};

use super::*;

const REMOVE: Call<Test> = Call::remove { registry_id: REGISTRY };

#[test]
fn of_a_removed_registry_a_tombstone_is_left_and_no_bits() {
    with_list(false, || {
        assert_ok!(act(ISSUER, set(&[1, 5_000, 100_000], &[])));
        events();
        assert_ok!(act(did(2), REMOVE));
        assert_eq!(events(), [Event::RegistryRemoved { registry_id: REGISTRY }]);
        assert_eq!(Registries::<Test>::get(REGISTRY), Some(RegistryState::Removed));
        assert_eq!(Chunks::<Test>::iter().count(), 0);
        assert_noop!(act(ISSUER, REMOVE), Error::<Test>::Removed);
    });
}

#[test]
fn refused_are_others_unknown_ids_and_add_only_registries() {
    with_list(true, || {
        assert_noop!(act(did(3), REMOVE), Error::<Test>::NotAuthorized);
        assert_noop!(act(ISSUER, REMOVE), Error::<Test>::AddOnly);
        assert_noop!(act(ISSUER, Call::remove { registry_id: H256([7; 32]) }), Error::<Test>::NotFound);
    });
}
