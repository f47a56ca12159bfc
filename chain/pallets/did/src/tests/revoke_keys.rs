use frame_support::{assert_noop, assert_ok};

use super::*;

fn revoke<const N: usize>(did: DidId, keys: [u32; N]) -> Call<Test> {
    Call::revoke_keys { did, keys: keys.into() }
}

#[test]
fn keys_in_use_and_retired_ones_are_revoked() {
    ledger(|| {
        let did = created(1);
        assert_ok!(act(did, Call::rotate_key { did, old: 1, new: proven(did, 2) }));
        assert_ok!(act(did, Call::add_keys { did, keys: vec![proven(did, 3)] }));
        events();
        assert_ok!(act(did, revoke(did, [1, 2])));
        assert_eq!(events(), [Event::KeyRevoked { did, key_id: 1 }, Event::KeyRevoked { did, key_id: 2 }]);
        assert!(!Keys::<Test>::contains_key(did, 2));
    });
}

#[test]
fn the_last_control_is_not_revoked() {
    ledger(|| {
        let did = created(1);
        assert_noop!(act(did, revoke(did, [1])), Error::<Test>::LastControl);
        assert_ok!(act(did, Call::add_controllers { did, controllers: [did_key(3)].into() }));
        assert_ok!(act(did, revoke(did, [1])));
    });
}

#[test]
fn refused_are_no_keys_unknown_ones_and_those_revoked_before() {
    ledger(|| {
        let did = created(1);
        assert_ok!(act(did, Call::add_keys { did, keys: vec![proven(did, 2)] }));
        assert_noop!(act(did, revoke(did, [])), Error::<Test>::EmptyUpdate);
        assert_noop!(act(did, revoke(did, [0])), Error::<Test>::KeyNotFound);
        assert_noop!(act(did, revoke(did, [2, 3])), Error::<Test>::KeyNotFound);
        assert_ok!(act(did, revoke(did, [2])));
        assert_noop!(act(did, revoke(did, [2])), Error::<Test>::AlreadyRevoked);
    });
}

#[test]
fn only_a_controller_revokes() {
    ledger(|| {
        let (did, other) = (created(1), created(2));
        assert_noop!(act(other, revoke(did, [1])), Error::<Test>::NotAuthorized);
    });
}
