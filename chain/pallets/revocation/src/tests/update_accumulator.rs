use frame_support::{assert_noop, assert_ok};

use super::*;
use crate::limits::*;

fn bytes(content: &[u8]) -> AccumulatorField {
    content.to_vec().try_into().expect("a short value")
}

/// An update of the registry that adds and removes members.
fn update(expected_version: u32, additions: &[u32], removals: &[u32]) -> Call<Test> {
    Call::update_accumulator {
        registry_id: REGISTRY,
        expected_version,
        accumulated: vec![expected_version as u8 + 1],
        additions: additions.iter().copied().collect(),
        removals: removals.iter().copied().collect(),
        witness_update_info: b"witnesses".to_vec(),
    }
}

/// An update with a value and witness information of given lengths.
fn sized(value: usize, witness: usize) -> Call<Test> {
    Call::update_accumulator {
        registry_id: REGISTRY,
        expected_version: 0,
        accumulated: vec![1; value],
        additions: [1].into(),
        removals: Default::default(),
        witness_update_info: vec![2; witness],
    }
}

fn updated(old: &[u8], additions: &[u32], removals: &[u32], version: u32) -> Event<Test> {
    let indexes = |list: &[u32]| list.to_vec().try_into().expect("a short list");
    Event::AccumulatorUpdated {
        registry_id: REGISTRY,
        old_accumulated: bytes(old),
        new_accumulated: bytes(&[version as u8]),
        additions: indexes(additions),
        removals: indexes(removals),
        witness_update_info: b"witnesses".to_vec().try_into().expect("short information"),
        version,
    }
}

fn value() -> Vec<u8> {
    match Registries::<Test>::get(REGISTRY) {
        Some(RegistryState::Active(Registry { kind: Kind::Accumulator { accumulated, .. }, .. })) => {
            accumulated.into_inner()
        }
        other => panic!("no accumulator: {other:?}"),
    }
}

#[test]
fn an_update_travels_whole_in_its_event_with_the_value_before_and_the_version_after() {
    with_accumulator(false, || {
        assert_ok!(act(ISSUER, update(0, &[9, 2, 2_048], &[])));
        assert_eq!(events(), [updated(FIRST_VALUE, &[2, 9, 2_048], &[], 1)]);
        assert_ok!(act(did(2), update(1, &[3], &[2_048, 2])));
        assert_eq!(events(), [updated(&[1], &[3], &[2, 2_048], 2)]);
        assert_eq!(value(), [2]);
        let removed = |index| Pallet::<Test>::is_revoked(REGISTRY, index);
        assert_eq!([2, 3, 9, 2_048].map(removed), [true, false, false, true]);
    });
}

#[test]
fn an_update_follows_the_version_that_it_names_and_no_other() {
    with_accumulator(false, || {
        assert_noop!(act(ISSUER, update(1, &[1], &[])), Error::<Test>::VersionMismatch);
        assert_ok!(act(ISSUER, update(0, &[1], &[])));
        assert_noop!(act(did(2), update(0, &[2], &[])), Error::<Test>::VersionMismatch);
        assert_noop!(act(ISSUER, update(2, &[2], &[])), Error::<Test>::VersionMismatch);
        assert_ok!(act(did(2), update(1, &[2], &[])));
    });
}

#[test]
fn a_member_that_left_comes_back_unless_the_registry_is_add_only() {
    with_accumulator(false, || {
        assert_ok!(act(ISSUER, update(0, &[], &[7])));
        assert_ok!(act(ISSUER, update(1, &[7], &[])));
        assert!(!Pallet::<Test>::is_revoked(REGISTRY, 7));
        assert_eq!(Chunks::<Test>::iter().count(), 0);
        assert_ok!(act(ISSUER, update(2, &[], &[7])));
    });
    with_accumulator(true, || {
        assert_ok!(act(ISSUER, update(0, &[6], &[7])));
        assert_noop!(act(ISSUER, update(1, &[5, 7], &[])), Error::<Test>::AddOnly);
        assert_ok!(act(ISSUER, update(1, &[5], &[6])));
    });
}

#[test]
fn a_member_leaves_once() {
    with_accumulator(false, || {
        assert_ok!(act(ISSUER, update(0, &[], &[7])));
        assert_noop!(act(ISSUER, update(1, &[], &[7, 8])), Error::<Test>::AlreadyRevoked);
    });
}

#[test]
fn refused_are_no_members_too_many_those_in_both_and_those_beyond_the_last() {
    with_accumulator(false, || {
        let many: Vec<_> = (0..=MAX_INDEXES).collect();
        assert_noop!(act(ISSUER, update(0, &[], &[])), Error::<Test>::EmptyUpdate);
        assert_noop!(act(ISSUER, update(0, &many, &[])), Error::<Test>::TooManyIndexes);
        assert_noop!(act(ISSUER, update(0, &many[1..], &many[..1])), Error::<Test>::TooManyIndexes);
        assert_noop!(act(ISSUER, update(0, &[1, 2], &[2, 3])), Error::<Test>::IndexInBoth);
        assert_noop!(act(ISSUER, update(0, &[MAX_MEMBERS], &[])), Error::<Test>::IndexOutOfRange);
        assert_noop!(act(ISSUER, update(0, &[], &[u32::MAX])), Error::<Test>::IndexOutOfRange);
        assert_ok!(act(ISSUER, update(0, &many[1..MAX_INDEXES as usize], &[MAX_MEMBERS - 1])));
        assert_ok!(act(ISSUER, update(1, &many[1..MAX_INDEXES as usize - 1], &[])));
    });
}

#[test]
fn a_value_is_neither_empty_nor_too_long_and_witness_information_not_too_long() {
    let value = MAX_ACCUMULATOR_FIELD as usize;
    let witness = MAX_WITNESS_UPDATE as usize;
    for (sizes, allowed) in [
        ((0, 0), false),
        ((1, 0), true),
        ((value, witness - 1), true),
        ((value, witness), true),
        ((value + 1, witness), false),
        ((value, witness + 1), false),
    ] {
        with_accumulator(false, || {
            let result = act(ISSUER, sized(sizes.0, sizes.1));
            let expected = if allowed { Ok(()) } else { Err(Error::<Test>::BadAccumulator.into()) };
            assert_eq!(result, expected, "{sizes:?}");
        });
    }
}

#[test]
fn only_the_policy_updates_and_only_an_accumulator_is_updated() {
    with_accumulator(false, || {
        assert_noop!(act(did(3), update(0, &[1], &[])), Error::<Test>::NotAuthorized);
        assert_noop!(act(ISSUER, set(&[1], &[])), Error::<Test>::WrongKind);
        assert_ok!(act(ISSUER, Call::remove { registry_id: REGISTRY }));
        assert_noop!(act(ISSUER, update(0, &[1], &[])), Error::<Test>::Removed);
    });
    with_list(false, || assert_eq!(act(ISSUER, update(0, &[1], &[])), Err(Error::<Test>::WrongKind.into())));
    ledger(|| assert_eq!(act(ISSUER, update(0, &[1], &[])), Err(Error::<Test>::NotFound.into())));
}
