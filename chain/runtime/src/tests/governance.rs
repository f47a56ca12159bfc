//! A network that its council governs, in the real runtime.

use frame_support::{
    assert_noop, assert_ok,
    traits::{Hooks, TypedGet},
};
use pallet_governance::Call as GovernanceCall;
use sp_consensus_aura::sr25519::AuthorityId as AuraId;
use sp_consensus_grandpa::AuthorityId as GrandpaId;
use sp_core::{crypto::Ss58Codec, crypto::UncheckedFrom, sr25519};
use sp_runtime::{
    traits::{Dispatchable, Hash},
    DispatchError,
};

use super::*;
use crate::{Balances, Governance, Grandpa, Session, SessionKeys};

/// Blocks after which a session may end.
const SESSION: u32 = 10;
/// The balance of each account of the genesis.
const ENDOWMENT: u64 = 1_000_000_000_000_000;

fn account(number: u8) -> AccountId {
    AccountId::new([number; 32])
}

/// The members of the council are the accounts 101 to 104.
fn member(number: u8) -> AccountId {
    account(100 + number)
}

fn keys(number: u8) -> SessionKeys {
    SessionKeys {
        aura: AuraId::from(sr25519::Public::unchecked_from([number; 32])),
        grandpa: GrandpaId::from(ed25519::Public::unchecked_from([number; 32])),
    }
}

/// The genesis of a network with validators 1 to 3 and a council of four members.
fn genesis() -> serde_json::Value {
    let mut genesis = default_genesis();
    let validators: Vec<_> = (1..=3).map(account).collect();
    let members: Vec<_> = (1..=4).map(member).collect();
    let with_keys = |number: u8| {
        let SessionKeys { aura, grandpa } = keys(number);
        let keys = serde_json::json!({ "aura": aura.to_ss58check(), "grandpa": grandpa.to_ss58check() });
        serde_json::json!([account(number), account(number), keys])
    };
    let rich: Vec<_> = members.iter().chain([&SUBMITTER]).map(|one| serde_json::json!([one, ENDOWMENT])).collect();
    genesis["governance"]["validators"] = serde_json::json!(validators);
    genesis["session"]["keys"] = (1..=3).map(with_keys).collect();
    genesis["councilMembers"]["members"] = serde_json::json!(members);
    genesis["balances"]["balances"] = rich.into();
    genesis
}

fn network(test: impl FnOnce()) {
    ledger_of(genesis(), test);
}

fn from(sender: AccountId, call: RuntimeCall) -> Result<(), DispatchError> {
    let result = call.dispatch(RuntimeOrigin::signed(sender));
    result.map(|_| ()).map_err(|failure| failure.error)
}

/// Brings a motion to its end by the votes of members, and returns what became of the call.
fn decide(call: GovernanceCall<Runtime>, votes: &[u8]) -> Option<Result<(), DispatchError>> {
    let proposal = Box::new(RuntimeCall::Governance(call));
    let proposal_hash = <Runtime as frame_system::Config>::Hashing::hash_of(&proposal);
    let length_bound = proposal.encoded_size() as u32;
    let index = pallet_collective::ProposalCount::<Runtime>::get();
    let threshold = votes.len() as u32;
    let propose = pallet_collective::Call::propose { threshold, proposal, length_bound };
    assert_ok!(from(member(votes[0]), RuntimeCall::Council(propose)));
    for number in votes {
        let vote = pallet_collective::Call::vote { proposal: proposal_hash, index, approve: true };
        assert_ok!(from(member(*number), RuntimeCall::Council(vote)));
    }
    events();
    let proposal_weight_bound = frame_support::weights::Weight::from_parts(10_000_000_000, 1_000_000);
    let close = pallet_collective::Call::close { proposal_hash, index, proposal_weight_bound, length_bound };
    assert_ok!(from(member(votes[0]), RuntimeCall::Council(close)));
    System::events().into_iter().find_map(|record| match record.event {
        RuntimeEvent::Council(pallet_collective::Event::Executed { result, .. }) => Some(result),
        _ => None,
    })
}

fn act(call: RuntimeCall) -> GovernanceCall<Runtime> {
    GovernanceCall::act { call: Box::new(call) }
}

fn set_validators(numbers: &[u8]) -> GovernanceCall<Runtime> {
    GovernanceCall::set_validators { validators: numbers.iter().map(|number| account(*number)).collect() }
}

/// Begins and ends blocks up to a height.
fn until(height: u32) {
    while System::block_number() < height {
        let now = System::block_number() + 1;
        Grandpa::on_finalize(now - 1);
        System::set_block_number(now);
        Governance::on_initialize(now);
        Session::on_initialize(now);
    }
    Grandpa::on_finalize(height);
}

fn authors() -> Vec<AuraId> {
    pallet_aura::Authorities::<Runtime>::get().into_inner()
}

fn voters() -> Vec<GrandpaId> {
    Grandpa::grandpa_authorities().into_iter().map(|(key, _)| key).collect()
}

fn has_authorities(numbers: &[u8]) -> bool {
    let of = |number: &u8| keys(*number);
    authors().into_iter().eq(numbers.iter().map(of).map(|keys| keys.aura))
        && voters().into_iter().eq(numbers.iter().map(of).map(|keys| keys.grandpa))
}

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
fn a_validator_shows_that_it_has_the_keys_that_it_sets() {
    let keystore = sp_keystore::testing::MemoryKeystore::new();
    network(|| {
        let owner = account(4);
        let set = |sender: AccountId, keys: &SessionKeys, proof: Vec<u8>| {
            from(sender, RuntimeCall::Session(pallet_session::Call::set_keys { keys: keys.clone(), proof }))
        };
        let mut externalities = sp_io::TestExternalities::default();
        externalities.register_extension(sp_keystore::KeystoreExt::new(keystore));
        let made = externalities.execute_with(|| SessionKeys::generate(&owner.encode(), None));
        let proof = made.proof.encode();
        let invalid = pallet_session::Error::<Runtime>::InvalidProof;
        Balances::force_set_balance(RuntimeOrigin::root(), owner.clone().into(), 500).expect("a balance");
        assert_noop!(set(member(1), &made.keys, proof.clone()), invalid);
        assert_noop!(set(owner.clone(), &made.keys, vec![]), pallet_session::Error::<Runtime>::InvalidProof);
        assert_ok!(set(owner, &made.keys, proof));
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
