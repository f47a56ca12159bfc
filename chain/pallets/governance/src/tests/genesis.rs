use super::*;

#[test]
fn the_validators_of_a_genesis_are_those_of_its_first_session_in_ascending_order() {
    ledger(&[2, 1], || {
        assert_eq!(Validators::<Test>::get().into_inner(), [1, 2]);
        assert_eq!(Session::validators(), [1, 2]);
        assert_eq!(Session::queued_keys(), [(1, keys(1)), (2, keys(2))]);
    });
}

#[test]
#[should_panic(expected = "a validator is named twice")]
fn a_genesis_names_no_validator_twice() {
    let _ = GenesisConfig::<Test> { validators: vec![1, 1] }.build_storage();
}
