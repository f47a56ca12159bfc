//! A network with validators and a council, in the real runtime.

mod council;
mod double_votes;
mod keys;
mod motions;
mod unsigned;

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
        grandpa: GrandpaId::from(pair(number).public()),
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
