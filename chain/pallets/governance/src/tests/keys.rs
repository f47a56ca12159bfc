//! The time between changes of keys. The session pallet checks that whoever sets keys has them: the runtime tests that
//! with real keys.

use frame_support::{assert_noop, assert_ok};

use super::*;

fn note(account: AccountId, number: u64) -> DispatchResult {
    Pallet::<Test>::note_keys(&account, &keys(number))?;
    set_keys(account, number);
    Ok(())
}

#[test]
fn a_validator_changes_its_keys_again_when_the_last_change_is_old_enough() {
    ledger(&[1, 2], || {
        assert_ok!(note(1, 11));
        until(KEYS);
        assert_noop!(note(1, 12), Error::<Test>::TooManyKeyChanges);
        assert_ok!(note(2, 22));
        until(KEYS + 1);
        assert_ok!(note(1, 12));
        assert_noop!(note(1, 13), Error::<Test>::TooManyKeyChanges);
    });
}

#[test]
fn the_same_keys_are_no_change() {
    ledger(&[1, 2], || {
        assert_ok!(note(1, 1));
        assert_ok!(note(1, 11));
        assert_ok!(note(1, 11));
        assert_eq!(KeysChanged::<Test>::get(1), Some(1));
    });
}

#[test]
fn whoever_is_not_on_the_list_sets_keys_as_often_as_it_likes() {
    ledger(&[1, 2], || {
        assert_ok!(note(3, 3));
        assert_ok!(note(3, 33));
        assert_ok!(send(COUNCIL, set(&[1, 2, 3])));
        assert_ok!(note(3, 34));
        assert_noop!(note(3, 35), Error::<Test>::TooManyKeyChanges);
    });
}

#[test]
fn nothing_is_kept_of_a_validator_that_is_off_the_list() {
    ledger(&[1, 2], || {
        assert_ok!(note(2, 22));
        assert_ok!(send(COUNCIL, set(&[1])));
        assert_eq!(KeysChanged::<Test>::iter().count(), 0);
    });
}
