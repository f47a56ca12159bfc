//! The session keys of validators.

use sp_consensus_grandpa::GRANDPA_ENGINE_ID;
use sp_runtime::generic::DigestItem;

use super::*;

/// Session keys whose secrets a keystore has, with the proof of their owner.
fn made_keys(owner: &AccountId) -> (SessionKeys, Vec<u8>) {
    let mut externalities = sp_io::TestExternalities::default();
    let keystore = sp_keystore::testing::MemoryKeystore::new();
    externalities.register_extension(sp_keystore::KeystoreExt::new(keystore));
    let made = externalities.execute_with(|| SessionKeys::generate(&owner.encode(), None));
    (made.keys, made.proof.encode())
}

fn set_keys(sender: AccountId, (keys, proof): (SessionKeys, Vec<u8>)) -> Result<(), DispatchError> {
    from(sender, RuntimeCall::Governance(GovernanceCall::set_keys { keys, proof }))
}

fn with_money(account: AccountId) -> AccountId {
    Balances::force_set_balance(RuntimeOrigin::root(), account.clone().into(), 500).expect("a balance");
    account
}

#[test]
fn a_validator_shows_that_it_has_the_keys_that_it_sets() {
    network(|| {
        let owner = with_money(account(4));
        let (keys, proof) = made_keys(&owner);
        let invalid = || pallet_session::Error::<Runtime>::InvalidProof;
        assert_noop!(set_keys(member(1), (keys.clone(), proof.clone())), invalid());
        assert_noop!(set_keys(owner.clone(), (keys.clone(), vec![])), invalid());
        assert_ok!(set_keys(owner.clone(), (keys.clone(), proof)));
        assert_eq!(pallet_session::NextKeys::<Runtime>::get(owner), Some(keys));
    });
}

#[test]
fn a_validator_changes_its_keys_once_a_day_and_the_set_of_authorities_with_them() {
    network(|| {
        let validator = with_money(account(1));
        let changed = made_keys(&validator);
        assert_ok!(set_keys(validator.clone(), changed.clone()));
        let too_many = || pallet_governance::Error::<Runtime>::TooManyKeyChanges;
        assert_noop!(set_keys(validator.clone(), made_keys(&validator)), too_many());
        until(2 * SESSION);
        assert!(voters().contains(&changed.0.grandpa));
        assert_eq!(Grandpa::current_set_id(), 1);
        let handed_over = |log: &DigestItem| matches!(log, DigestItem::Consensus(GRANDPA_ENGINE_ID, _));
        assert_eq!(System::digest().logs.iter().filter(|log| handed_over(log)).count(), 1);
        System::set_block_number(28_800);
        assert_noop!(set_keys(validator.clone(), made_keys(&validator)), too_many());
        System::set_block_number(28_801);
        assert_ok!(set_keys(validator.clone(), made_keys(&validator)));
    });
}

#[test]
fn nobody_takes_keys_back_or_goes_around_the_bound() {
    network(|| {
        let validator = with_money(account(1));
        let (keys, proof) = made_keys(&validator);
        let filtered = || frame_system::Error::<Runtime>::CallFiltered;
        let calls = [pallet_session::Call::purge_keys {}, pallet_session::Call::set_keys { keys, proof }];
        for call in calls.map(RuntimeCall::Session) {
            assert_noop!(from(validator.clone(), call.clone()), filtered());
            let batch = pallet_utility::Call::batch_all { calls: vec![call] };
            let refused = from(validator.clone(), RuntimeCall::Utility(batch));
            assert_eq!(refused, Err(filtered().into()));
        }
        // The keys of the others change.
        let other = with_money(account(2));
        let changed = made_keys(&other);
        assert_ok!(set_keys(other, changed.clone()));
        until(2 * SESSION);
        assert!(voters().contains(&changed.0.grandpa));
    });
}
