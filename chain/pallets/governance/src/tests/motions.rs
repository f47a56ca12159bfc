use frame_support::{assert_noop, assert_ok};
use sp_core::H256;

use super::*;

/// Notes motions with the numbers from 1 to the last, the last of which a member makes.
fn note(member: AccountId, open: &[u8]) -> DispatchResult {
    let open: Vec<_> = open.iter().map(|number| H256([*number; 32])).collect();
    Pallet::<Test>::note_motion(&member, &open)
}

#[test]
fn a_member_has_four_open_motions_at_most_whatever_others_have() {
    ledger(&[], || {
        for number in 1..=4 {
            assert_ok!(note(1, &(1..=number).collect::<Vec<_>>()));
        }
        assert_noop!(note(1, &[1, 2, 3, 4, 5]), Error::<Test>::TooManyMotions);
        assert_ok!(note(2, &[1, 2, 3, 4, 5]));
    });
}

#[test]
fn a_motion_that_ended_leaves_its_place() {
    ledger(&[], || {
        for number in 1..=4 {
            assert_ok!(note(1, &(1..=number).collect::<Vec<_>>()));
        }
        assert_ok!(note(1, &[1, 3, 4, 5]));
        assert_noop!(note(1, &[1, 3, 4, 5, 6]), Error::<Test>::TooManyMotions);
        assert_eq!(Motions::<Test>::get().len(), 4);
    });
}

#[test]
fn twelve_members_fill_all_places_and_no_fewer() {
    ledger(&[], || {
        let open: Vec<u8> = (1..=limits::MAX_MOTIONS as u8).collect();
        for number in 1..=open.len() {
            assert_ok!(note(1 + (number as u64 - 1) / 4, &open[..number]));
        }
        assert_eq!(Motions::<Test>::get().last().map(|(_, member)| *member), Some(12));
        let fuller = [&open[..], &[200]].concat();
        assert_noop!(note(13, &fuller), Error::<Test>::TooManyMotions);
    });
}
