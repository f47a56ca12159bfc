//! Ends of sessions.

use frame_support::assert_ok;

use super::*;

#[test]
fn a_session_goes_on_while_nothing_changes() {
    ledger(&[1, 2], || {
        until(10 * SESSION);
        assert_eq!(Session::current_index(), 0);
        assert!(System::events().is_empty());
    });
}

#[test]
fn a_ledger_without_a_list_never_ends_a_session() {
    ledger(&[], || {
        set_keys(1, 1);
        until(10 * SESSION);
        assert_eq!(Session::current_index(), 0);
        assert!(System::events().is_empty());
    });
}

#[test]
fn a_change_of_the_list_takes_effect_after_the_next_two_sessions_and_then_no_session_ends() {
    ledger(&[1, 2], || {
        set_keys(3, 3);
        assert_ok!(send(COUNCIL, set(&[1, 3])));
        until(SESSION);
        assert_eq!(Session::validators(), [1, 2]);
        assert_eq!(Session::queued_keys(), [(1, keys(1)), (3, keys(3))]);
        until(2 * SESSION);
        assert_eq!(Session::validators(), [1, 3]);
        until(10 * SESSION);
        assert_eq!(Session::current_index(), 2);
    });
}

#[test]
fn new_keys_of_a_validator_take_effect_and_those_of_others_change_nothing() {
    ledger(&[1, 2], || {
        set_keys(3, 3);
        until(SESSION);
        assert_eq!(Session::current_index(), 0);
        set_keys(2, 22);
        until(3 * SESSION);
        assert_eq!(Session::current_index(), 2);
        assert_eq!(Session::queued_keys(), [(1, keys(1)), (2, keys(22))]);
    });
}

#[test]
fn a_validator_that_takes_its_keys_back_stays_until_the_council_removes_it() {
    ledger(&[1, 2], || {
        pallet_session::NextKeys::<Test>::remove(2);
        set_keys(1, 11);
        until(4 * SESSION);
        assert_eq!(Session::current_index(), 0);
        assert_eq!(Session::validators(), [1, 2]);
        assert_ok!(send(COUNCIL, set(&[1])));
        until(6 * SESSION);
        assert_eq!(Session::validators(), [1]);
        assert_eq!(Session::queued_keys(), [(1, keys(11))]);
    });
}

#[test]
fn validators_that_are_queued_and_go_again_leave_no_session_without_keys() {
    ledger(&[1, 2], || {
        set_keys(3, 3);
        assert_ok!(send(COUNCIL, set(&[1, 3])));
        until(SESSION);
        assert_ok!(send(COUNCIL, set(&[1, 2])));
        pallet_session::NextKeys::<Test>::remove(3);
        until(2 * SESSION);
        assert_eq!(Session::validators(), [1, 3]);
        until(4 * SESSION);
        assert_eq!(Session::validators(), [1, 2]);
        assert_eq!(Session::queued_keys(), [(1, keys(1)), (2, keys(2))]);
    });
}
