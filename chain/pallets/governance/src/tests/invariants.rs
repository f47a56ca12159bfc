//! Each invariant is broken once, and the check reports it.

use super::*;

#[test]
fn the_list_of_validators_is_ascending() {
    let broken = |list: Vec<AccountId>| {
        for_benchmarks().execute_with(|| {
            Validators::<Test>::put(Accounts::<Test>::try_from(list).expect("a short list"));
            Pallet::<Test>::check_invariants()
        })
    };
    assert_eq!(broken(vec![1, 2]), Ok(()));
    assert_eq!(broken(vec![2, 1]), Err("the list of validators is not ascending"));
    assert_eq!(broken(vec![1, 1]), Err("the list of validators is not ascending"));
}

#[test]
fn a_change_of_keys_is_kept_of_validators_alone() {
    for_benchmarks().execute_with(|| {
        KeysChanged::<Test>::insert(1, 1);
        let broken = Err("a change of keys is kept of an account that is no validator");
        assert_eq!(Pallet::<Test>::check_invariants(), broken);
        Validators::<Test>::put(Accounts::<Test>::try_from(vec![1]).expect("a short list"));
        assert_eq!(Pallet::<Test>::check_invariants(), Ok(()));
    });
}

#[test]
fn a_member_has_few_motions() {
    for_benchmarks().execute_with(|| {
        let motion = (sp_core::H256::zero(), 1);
        let motions = |count| OpenMotions::<Test>::try_from(vec![motion; count]).expect("not too many of all");
        Motions::<Test>::put(motions(limits::MAX_MOTIONS_OF_MEMBER));
        assert_eq!(Pallet::<Test>::check_invariants(), Ok(()));
        Motions::<Test>::put(motions(limits::MAX_MOTIONS_OF_MEMBER + 1));
        assert_eq!(Pallet::<Test>::check_invariants(), Err("a member has too many motions"));
    });
}
