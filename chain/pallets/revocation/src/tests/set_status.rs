use frame_support::{assert_noop, assert_ok};

use super::*;
use crate::limits::*;

fn changed(revoked: &[u32], unrevoked: &[u32], version: u32) -> Event<Test> {
    let indexes = |list: &[u32]| list.to_vec().try_into().expect("a short list");
    Event::StatusChanged { registry_id: REGISTRY, revoked: indexes(revoked), unrevoked: indexes(unrevoked), version }
}

#[test]
fn bits_are_set_and_cleared_and_only_real_changes_are_told() {
    with_list(false, || {
        let last = MIN_LENGTH - 1;
        assert_ok!(act(ISSUER, set(&[last, 0, 2_047, 2_048], &[5])));
        assert_eq!(events(), [changed(&[0, 2_047, 2_048, last], &[], 1)]);
        for index in [0, 2_047, 2_048, last] {
            assert!(Pallet::<Test>::is_revoked(REGISTRY, index));
        }
        assert!(!Pallet::<Test>::is_revoked(REGISTRY, 1));
        assert_ok!(act(ISSUER, set(&[1, 2_048], &[0, 3])));
        assert_eq!(events(), [changed(&[1], &[0], 2)]);
        assert_ok!(act(ISSUER, set(&[1], &[0])));
        assert_eq!(events(), []);
    });
}

#[test]
fn a_chunk_whose_last_bit_is_cleared_is_not_kept() {
    with_list(false, || {
        assert_ok!(act(ISSUER, set(&[7], &[])));
        assert_eq!(Chunks::<Test>::iter().count(), 1);
        assert_ok!(act(ISSUER, set(&[], &[7])));
        assert_eq!(Chunks::<Test>::iter().count(), 0);
    });
}

#[test]
fn any_one_of_the_policy_sets_and_nobody_else() {
    with_list(false, || {
        assert_ok!(act(did(2), set(&[7], &[])));
        assert_noop!(act(did(3), set(&[8], &[])), Error::<Test>::NotAuthorized);
    });
}

#[test]
fn what_is_revoked_in_an_add_only_list_stays_revoked() {
    with_list(true, || {
        assert_ok!(act(ISSUER, set(&[7], &[])));
        assert_noop!(act(ISSUER, set(&[], &[7])), Error::<Test>::AddOnly);
        assert_noop!(act(ISSUER, set(&[8], &[9])), Error::<Test>::AddOnly);
    });
}

#[test]
fn refused_are_no_indexes_too_many_those_in_both_and_those_beyond_the_end() {
    with_list(false, || {
        let many: Vec<_> = (0..=MAX_INDEXES).collect();
        assert_noop!(act(ISSUER, set(&[], &[])), Error::<Test>::EmptyUpdate);
        assert_noop!(act(ISSUER, set(&many, &[])), Error::<Test>::TooManyIndexes);
        assert_noop!(act(ISSUER, set(&many[1..], &many[..1])), Error::<Test>::TooManyIndexes);
        assert_noop!(act(ISSUER, set(&[1, 2], &[2, 3])), Error::<Test>::IndexInBoth);
        assert_noop!(act(ISSUER, set(&[MIN_LENGTH], &[])), Error::<Test>::IndexOutOfRange);
        assert_noop!(act(ISSUER, set(&[], &[u32::MAX])), Error::<Test>::IndexOutOfRange);
        assert_ok!(act(ISSUER, set(&many[1..], &[])));
    });
}

#[test]
fn a_registry_that_is_not_there_is_not_changed() {
    ledger(|| {
        assert_noop!(act(ISSUER, set(&[1], &[])), Error::<Test>::NotFound);
        assert_ok!(act(ISSUER, create(&[ISSUER], false, LIST)));
        assert_ok!(act(ISSUER, Call::remove { registry_id: REGISTRY }));
        assert_noop!(act(ISSUER, set(&[1], &[])), Error::<Test>::Removed);
    });
}
