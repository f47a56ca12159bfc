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
