//! Decisions of the council, which nobody else makes.

use super::*;

#[test]
fn a_network_begins_with_the_keys_of_its_validators_and_their_set_stays_while_nothing_changes() {
    network(|| {
        assert!(has_authorities(&[1, 2, 3]));
        until(5 * SESSION);
        assert!(has_authorities(&[1, 2, 3]));
        assert_eq!(Grandpa::current_set_id(), 0);
    });
}

#[test]
fn two_thirds_of_the_council_add_a_validator_and_remove_one_and_each_change_is_one_set_more() {
    network(|| {
        pallet_session::NextKeys::<Runtime>::insert(account(4), keys(4));
        assert_eq!(decide(set_validators(&[1, 2, 3, 4]), &[1, 2, 3]), Some(Ok(())));
        until(2 * SESSION);
        assert!(has_authorities(&[1, 2, 3, 4]));
        assert_eq!(Grandpa::current_set_id(), 1);
        assert_eq!(decide(set_validators(&[2, 3, 4]), &[2, 3, 4]), Some(Ok(())));
        until(4 * SESSION);
        assert!(has_authorities(&[2, 3, 4]));
        until(9 * SESSION);
        assert_eq!(Grandpa::current_set_id(), 2);
    });
}

#[test]
fn half_of_the_council_changes_nothing() {
    network(|| {
        assert_eq!(decide(set_validators(&[1, 2]), &[1, 2]), Some(Err(DispatchError::BadOrigin)));
        assert_eq!(decide(act(registry(1)), &[3, 4]), Some(Err(DispatchError::BadOrigin)));
        assert_noop!(from(member(1), RuntimeCall::Governance(set_validators(&[1, 2]))), DispatchError::BadOrigin);
        until(2 * SESSION);
        assert!(has_authorities(&[1, 2, 3]));
    });
}

#[test]
fn one_member_alone_acts_for_nobody() {
    network(|| {
        let proposal = Box::new(RuntimeCall::Governance(set_validators(&[1, 2])));
        let length_bound = proposal.encoded_size() as u32;
        let execute = pallet_collective::Call::execute { proposal: proposal.clone(), length_bound };
        assert_ok!(from(member(1), RuntimeCall::Council(execute)));
        let propose = pallet_collective::Call::propose { threshold: 1, proposal, length_bound };
        assert_ok!(from(member(1), RuntimeCall::Council(propose)));
        until(2 * SESSION);
        assert!(has_authorities(&[1, 2, 3]));
    });
}

#[test]
fn fees_go_to_the_treasury_where_nobody_has_the_sudo_key_and_the_council_spends_them() {
    network(|| {
        let treasury = Governance::treasury();
        assert_eq!(crate::configs::Consortium::get(), treasury);
        Balances::force_set_balance(RuntimeOrigin::root(), treasury.clone().into(), 500).expect("a balance");
        let (source, dest) = (treasury.clone().into(), account(9).into());
        let payment = pallet_balances::Call::force_transfer { source, dest, value: 300 };
        assert_eq!(decide(act(RuntimeCall::Balances(payment)), &[1, 2, 3]), Some(Ok(())));
        assert_eq!((Balances::free_balance(treasury), Balances::free_balance(account(9))), (200, 300));
    });
}

#[test]
fn a_code_whose_hash_the_council_voted_for_is_applied_by_anyone_and_no_other() {
    network(|| {
        let code = b"a newer runtime".to_vec();
        let code_hash = H256(blake2_256(&code));
        let apply = |code: &[u8]| {
            let call = frame_system::Call::apply_authorized_upgrade { code: code.to_vec() };
            from(account(9), RuntimeCall::System(call))
        };
        assert_noop!(apply(&code), frame_system::Error::<Runtime>::NothingAuthorized);
        let authorize = frame_system::Call::authorize_upgrade_without_checks { code_hash };
        assert_eq!(decide(act(RuntimeCall::System(authorize)), &[1, 2, 3]), Some(Ok(())));
        assert_noop!(apply(b"another"), frame_system::Error::<Runtime>::Unauthorized);
        assert_ok!(apply(&code));
        assert_eq!(sp_io::storage::get(sp_core::storage::well_known_keys::CODE).map(|code| code.to_vec()), Some(code));
    });
}

#[test]
fn the_council_changes_its_members() {
    network(|| {
        let remove = pallet_membership::Call::remove_member { who: member(4).into() };
        assert_eq!(decide(act(RuntimeCall::CouncilMembers(remove)), &[1, 2, 3]), Some(Ok(())));
        assert_eq!(pallet_collective::Members::<Runtime>::get(), (1..=3).map(member).collect::<Vec<_>>());
        // Two of three are two thirds.
        pallet_session::NextKeys::<Runtime>::insert(account(4), keys(4));
        assert_eq!(decide(set_validators(&[1, 2, 3, 4]), &[1, 2]), Some(Ok(())));
        let alone = pallet_collective::Call::set_members { new_members: vec![], prime: None, old_count: 3 };
        assert_noop!(RuntimeCall::Council(alone).dispatch(RuntimeOrigin::root()), DispatchError::BadOrigin);
    });
}

#[test]
fn an_embedded_ledger_keeps_its_author_for_ever_whoever_sets_keys() {
    let mut genesis = default_genesis();
    let SessionKeys { aura, .. } = keys(1);
    genesis["aura"]["authorities"] = serde_json::json!([aura.to_ss58check()]);
    genesis["sudo"]["key"] = serde_json::json!(SUBMITTER);
    ledger_of(genesis, || {
        let before = sp_io::storage::root(sp_runtime::StateVersion::V1);
        pallet_session::NextKeys::<Runtime>::insert(account(4), keys(4));
        until(5 * SESSION);
        assert_eq!(authors(), [aura]);
        assert!(events().is_empty());
        pallet_session::NextKeys::<Runtime>::remove(account(4));
        System::set_block_number(1);
        assert_eq!(sp_io::storage::root(sp_runtime::StateVersion::V1), before);
        assert_eq!(crate::configs::Consortium::get(), SUBMITTER);
    });
}

#[test]
fn a_ledger_of_the_runtime_before_takes_its_validators_from_root_and_its_authorities_stay_until_then() {
    let mut genesis = default_genesis();
    let SessionKeys { aura, grandpa } = keys(1);
    genesis["aura"]["authorities"] = serde_json::json!([aura.to_ss58check()]);
    genesis["grandpa"]["authorities"] = serde_json::json!([[grandpa.to_ss58check(), 1]]);
    ledger_of(genesis, || {
        until(3 * SESSION);
        assert!(has_authorities(&[1]));
        for number in [1, 2] {
            pallet_session::NextKeys::<Runtime>::insert(account(number), keys(number));
        }
        let set = RuntimeCall::Governance(set_validators(&[1, 2]));
        assert_ok!(set.dispatch(RuntimeOrigin::root()));
        until(4 * SESSION);
        assert!(has_authorities(&[1]));
        until(5 * SESSION);
        assert!(has_authorities(&[1, 2]));
        assert_eq!(Grandpa::current_set_id(), 1);
    });
}

#[test]
fn no_did_makes_a_call_of_governance() {
    network(|| {
        assert_ok!(send(creation(1)));
        let remark = || RuntimeCall::System(frame_system::Call::remark { remark: vec![] });
        let purge = pallet_session::Call::purge_keys {};
        let calls = [
            RuntimeCall::Governance(act(remark())),
            RuntimeCall::Governance(set_validators(&[1])),
            RuntimeCall::Session(purge),
            RuntimeCall::Council(pallet_collective::Call::execute { proposal: Box::new(remark()), length_bound: 9 }),
            RuntimeCall::CouncilMembers(pallet_membership::Call::reset_members { members: vec![] }),
        ];
        for call in calls {
            let refused = dispatch(1, 1, vec![call]);
            assert_noop!(send(refused), pallet_did::Error::<Runtime>::CallNotAllowed);
        }
    });
}

#[test]
fn nobody_votes_for_members_who_are_silent() {
    network(|| {
        let prime = RuntimeCall::CouncilMembers(pallet_membership::Call::set_prime { who: member(1).into() });
        let refused = prime.dispatch(RuntimeOrigin::root()).map_err(|refusal| refusal.error);
        assert_eq!(refused.unwrap_err(), DispatchError::BadOrigin);
    });
}
