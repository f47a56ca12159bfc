//! The number of motions that one member has open.

use super::*;

fn motion(number: u8) -> Box<RuntimeCall> {
    Box::new(RuntimeCall::System(frame_system::Call::remark { remark: vec![number] }))
}

fn propose(by: u8, number: u8) -> Result<(), DispatchError> {
    let (proposal, length_bound) = (motion(number), 100);
    from(member(by), RuntimeCall::Council(pallet_collective::Call::propose { threshold: 3, proposal, length_bound }))
}

fn hash_of(number: u8) -> H256 {
    <Runtime as frame_system::Config>::Hashing::hash_of(&motion(number))
}

#[test]
fn a_member_has_four_open_motions_and_leaves_places_to_the_others() {
    network(|| {
        for number in 1..=4 {
            assert_ok!(propose(1, number));
        }
        assert_noop!(propose(1, 5), pallet_governance::Error::<Runtime>::TooManyMotions);
        assert_ok!(propose(2, 5));
        // The council votes one down.
        for voter in 1..=2 {
            let vote = pallet_collective::Call::vote { proposal: hash_of(1), index: 0, approve: false };
            assert_ok!(from(member(voter), RuntimeCall::Council(vote)));
        }
        let close = pallet_collective::Call::close {
            proposal_hash: hash_of(1),
            index: 0,
            proposal_weight_bound: Default::default(),
            length_bound: 100,
        };
        assert_ok!(from(member(3), RuntimeCall::Council(close)));
        assert_ok!(propose(1, 6));
        assert_noop!(propose(1, 7), pallet_governance::Error::<Runtime>::TooManyMotions);
    });
}

#[test]
fn what_a_member_decides_alone_takes_no_place() {
    network(|| {
        for number in 1..=5 {
            let (proposal, length_bound) = (motion(number), 100);
            let alone = pallet_collective::Call::propose { threshold: 1, proposal, length_bound };
            assert_ok!(from(member(1), RuntimeCall::Council(alone)));
        }
        assert!(pallet_governance::Motions::<Runtime>::get().is_empty());
    });
}
