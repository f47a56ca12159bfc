use frame_support::{assert_noop, assert_ok};

use super::*;

fn rotate(did: DidId, old: u32, new: DidKeyInput) -> Call<Test> {
    Call::rotate_key { did, old, new }
}

#[test]
fn the_old_key_is_retired_and_the_new_one_has_the_next_number() {
    ledger(|| {
        let did = created(1);
        assert_ok!(act(did, rotate(did, 1, proven(did, 2))));
        assert_eq!(
            events(),
            [
                Event::KeyRetired { did, key_id: 1 },
                Event::KeyAdded { did, key_id: 2, key: public(2), relationships: Relationships(7) },
            ]
        );
        assert!(!Keys::<Test>::contains_key(did, 1));
    });
}

#[test]
fn a_key_is_rotated_while_it_is_in_use() {
    ledger(|| {
        let did = created(1);
        assert_noop!(act(did, rotate(did, 2, proven(did, 2))), Error::<Test>::KeyNotFound);
        assert_ok!(act(did, rotate(did, 1, proven(did, 2))));
        assert_noop!(act(did, rotate(did, 1, proven(did, 3))), Error::<Test>::KeyNotFound);
    });
}

#[test]
fn the_new_key_proves_possession_and_is_used_as_its_kind_can() {
    ledger(|| {
        let did = created(1);
        let unproven = DidKeyInput { possession: None, ..proven(did, 2) };
        assert_noop!(act(did, rotate(did, 1, unproven)), Error::<Test>::BadPossession);
        let agreeing = DidKeyInput { relationships: Relationships::KEY_AGREEMENT, ..proven(did, 2) };
        assert_noop!(act(did, rotate(did, 1, agreeing)), Error::<Test>::BadRelationships);
    });
}

#[test]
fn the_last_control_is_not_rotated_away() {
    ledger(|| {
        let did = created(1);
        let authenticating = || DidKeyInput { relationships: Relationships::AUTHENTICATION, ..proven(did, 2) };
        assert_noop!(act(did, rotate(did, 1, authenticating())), Error::<Test>::LastControl);
        assert_ok!(act(did, Call::add_controllers { did, controllers: [did_key(3)].into() }));
        assert_ok!(act(did, rotate(did, 1, authenticating())));
    });
}

#[test]
fn only_a_controller_rotates() {
    ledger(|| {
        let (did, other) = (created(1), created(2));
        assert_noop!(act(other, rotate(did, 1, proven(did, 3))), Error::<Test>::NotAuthorized);
    });
}
