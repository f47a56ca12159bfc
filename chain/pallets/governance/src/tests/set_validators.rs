use frame_support::{assert_noop, assert_ok};
use sp_runtime::DispatchError;

use super::*;

#[test]
fn the_council_replaces_the_list_and_an_event_names_both() {
    ledger(&[1, 2], || {
        set_keys(3, 3);
        assert_ok!(send(COUNCIL, set(&[3, 1])));
        let accounts = |list: &[AccountId]| Accounts::<Test>::try_from(list.to_vec()).expect("a short list");
        assert_eq!(events(), [Event::ValidatorsSet { old: accounts(&[1, 2]), new: accounts(&[1, 3]) }]);
        assert_eq!(Validators::<Test>::get(), accounts(&[1, 3]));
    });
}

#[test]
fn nobody_else_does() {
    ledger(&[1, 2], || {
        assert_noop!(send(1, set(&[1])), DispatchError::BadOrigin);
    });
}

#[test]
fn refused_are_an_empty_list_one_that_is_too_long_validators_without_keys_and_the_same_list() {
    ledger(&[1, 2], || {
        assert_noop!(send(COUNCIL, set(&[])), Error::<Test>::NoValidators);
        let accounts: Vec<_> = (1..=u64::from(limits::MAX_VALIDATORS) + 1).collect();
        accounts.iter().for_each(|account| set_keys(*account, *account));
        assert_noop!(send(COUNCIL, set(&accounts)), Error::<Test>::TooManyValidators);
        assert_noop!(send(COUNCIL, set(&[1, 99])), Error::<Test>::NoKeys);
        assert_noop!(send(COUNCIL, set(&[2, 1])), Error::<Test>::Unchanged);
        assert_ok!(send(COUNCIL, set(&accounts[1..])));
    });
}
