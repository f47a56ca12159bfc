//! Validators that vote for two blocks in one round, with real votes.

use codec::Decode;
use frame_support::traits::KeyOwnerProofSystem;
use pallet_governance::Event;
use pallet_grandpa::{Call, Error};
use sp_consensus_grandpa::{ConsensusLog, EquivocationProof, GRANDPA_ENGINE_ID, KEY_TYPE};
use sp_runtime::{
    generic::DigestItem,
    transaction_validity::{InvalidTransaction, TransactionSource, TransactionValidityError},
    ApplyExtrinsicResult,
};
use sp_session::MembershipProof;

use super::*;
use crate::{configs, key_owners::KeyOwners, BlockNumber, Executive, UncheckedExtrinsic};

type Proof = EquivocationProof<H256, BlockNumber>;

const ROUND: u64 = 5;
/// Two blocks of one height.
const BLOCKS: [H256; 2] = [H256([1; 32]), H256([2; 32])];

/// Two prevotes as a validator would send them, written byte by byte.
fn votes(number: u8, set_id: u64, blocks: [H256; 2]) -> Proof {
    let height: BlockNumber = 7;
    let signed = |block: H256| {
        let message = (0u8, block, height, ROUND, set_id).encode();
        (block, height, pair(number).sign(&message))
    };
    let [first, second] = blocks.map(signed);
    let bytes = (set_id, 0u8, ROUND, pair(number).public(), first, second).encode();
    Proof::decode(&mut &bytes[..]).expect("a proof")
}

fn owner_proof(number: u8) -> MembershipProof {
    KeyOwners::prove((KEY_TYPE, keys(number).grandpa)).expect("validators have keys")
}

fn report(votes: Proof, key_owner_proof: MembershipProof) -> UncheckedExtrinsic {
    let equivocation_proof = Box::new(votes);
    UncheckedExtrinsic::new_bare(Call::report_equivocation_unsigned { equivocation_proof, key_owner_proof }.into())
}

/// Puts a report into a block.
fn told(report: UncheckedExtrinsic) -> ApplyExtrinsicResult {
    Executive::apply_extrinsic(report)
}

fn refused(reason: InvalidTransaction) -> ApplyExtrinsicResult {
    Err(TransactionValidityError::Invalid(reason))
}

fn of_governance() -> Vec<Event<Runtime>> {
    let of = |event| match event {
        RuntimeEvent::Governance(event) => Some(event),
        _ => None,
    };
    events().into_iter().filter_map(of).collect()
}

/// The lists of voters that blocks handed over to.
fn handed_over() -> Vec<Vec<GrandpaId>> {
    let of = |log: &DigestItem| match log {
        DigestItem::Consensus(GRANDPA_ENGINE_ID, bytes) => match ConsensusLog::<BlockNumber>::decode(&mut &bytes[..]) {
            Ok(ConsensusLog::ScheduledChange(change)) => {
                Some(change.next_authorities.into_iter().map(|(key, _)| key).collect())
            }
            _ => None,
        },
        _ => None,
    };
    System::digest().logs.iter().filter_map(of).collect()
}

#[test]
fn who_votes_twice_is_off_the_list_and_after_two_sessions_no_authority_by_a_hand_over_like_any_other() {
    network(|| {
        assert_eq!(told(report(votes(2, 0, BLOCKS), owner_proof(2))), Ok(Ok(())));
        let list = |numbers: &[u8]| numbers.iter().map(|number| account(*number)).collect::<Vec<_>>();
        let list = |numbers: &[u8]| pallet_governance::Accounts::<Runtime>::try_from(list(numbers)).expect("a list");
        let (old, new) = (list(&[1, 2, 3]), list(&[1, 3]));
        assert_eq!(of_governance(), [Event::Equivocated { validator: account(2) }, Event::ValidatorsSet { old, new }]);
        until(2 * SESSION);
        assert!(has_authorities(&[1, 3]));
        assert_eq!(Grandpa::current_set_id(), 1);
        assert_eq!(handed_over(), [vec![keys(1).grandpa, keys(3).grandpa]]);
    });
}

#[test]
fn a_report_is_told_once_also_of_a_validator_that_the_council_put_on_the_list_again() {
    network(|| {
        let once = report(votes(2, 0, BLOCKS), owner_proof(2));
        assert_eq!(told(once.clone()), Ok(Ok(())));
        assert_eq!(told(once.clone()), refused(InvalidTransaction::Stale));
        assert_eq!(decide(set_validators(&[1, 2, 3]), &[1, 2, 3]), Some(Ok(())));
        assert_eq!(told(once), refused(InvalidTransaction::Stale));
        until(2 * SESSION);
        assert!(has_authorities(&[1, 2, 3]));
    });
}

#[test]
fn a_false_report_is_refused() {
    network(|| {
        let invalid = || Ok(Err(Error::<Runtime>::InvalidEquivocationProof.into()));
        // One block twice.
        assert_eq!(told(report(votes(2, 0, [BLOCKS[0]; 2]), owner_proof(2))), invalid());
        // A set that is not there.
        assert_eq!(told(report(votes(2, 1, BLOCKS), owner_proof(2))), invalid());
        // A signature that is another one's.
        let mut forged = votes(2, 0, BLOCKS).encode();
        let end = forged.len() - 64;
        forged[end..].copy_from_slice(&pair(9).sign(b"").0);
        assert_eq!(told(report(Proof::decode(&mut &forged[..]).expect("a proof"), owner_proof(2))), invalid());
        // The key of another one, and of nobody.
        assert_eq!(told(report(votes(2, 0, BLOCKS), owner_proof(3))), refused(InvalidTransaction::BadProof));
        assert_eq!(told(report(votes(9, 0, BLOCKS), owner_proof(9))), refused(InvalidTransaction::BadProof));
        assert!(of_governance().is_empty());
        until(2 * SESSION);
        assert!(has_authorities(&[1, 2, 3]));
    });
}

#[test]
fn anyone_reports_in_a_signed_extrinsic_too() {
    network(|| {
        let signed = |number| {
            let (equivocation_proof, key_owner_proof) = (Box::new(votes(number, 0, BLOCKS)), owner_proof(number));
            from(SUBMITTER, Call::report_equivocation { equivocation_proof, key_owner_proof }.into())
        };
        assert_ok!(signed(3));
        assert_noop!(signed(3), Error::<Runtime>::DuplicateOffenceReport);
        assert_noop!(signed(9), Error::<Runtime>::InvalidKeyOwnershipProof);
    });
}

#[test]
fn who_sets_other_keys_answers_for_what_it_does_with_those_of_the_session() {
    network(|| {
        let (validator, other) = (account(2), keys(20));
        pallet_session::NextKeys::<Runtime>::insert(&validator, &other);
        let before = owner_proof(2);
        until(SESSION);
        // The session of the old keys goes on for the last time.
        assert!(has_authorities(&[1, 2, 3]));
        let now = owner_proof(2);
        let valid = |proof| KeyOwners::check_proof((KEY_TYPE, keys(2).grandpa), proof);
        assert_eq!(valid(before), Some((validator.clone(), ())));
        assert_eq!(valid(now.clone()), Some((validator.clone(), ())));
        assert_eq!(pallet_session::NextKeys::<Runtime>::get(&validator), Some(other));
        until(2 * SESSION);
        // The keys are others now, and what was done before is still an offence.
        assert_eq!(told(report(votes(2, 0, BLOCKS), now)), Ok(Ok(())));
        assert_eq!(pallet_governance::Validators::<Runtime>::get().len(), 2);
    });
}

#[test]
fn the_last_validator_stays() {
    network(|| {
        for number in 1..=3 {
            assert_eq!(told(report(votes(number, 0, BLOCKS), owner_proof(number))), Ok(Ok(())));
        }
        until(4 * SESSION);
        assert!(has_authorities(&[3]));
    });
}

#[test]
fn on_an_embedded_ledger_nobody_is_reported() {
    let mut genesis = default_genesis();
    let SessionKeys { aura, grandpa } = keys(1);
    genesis["aura"]["authorities"] = serde_json::json!([aura.to_ss58check()]);
    genesis["grandpa"]["authorities"] = serde_json::json!([[grandpa.to_ss58check(), 1]]);
    ledger_of(genesis, || {
        assert_eq!(told(report(votes(1, 0, BLOCKS), owner_proof(1))), refused(InvalidTransaction::BadProof));
    });
}

#[test]
fn a_node_takes_a_report_of_its_own_and_none_of_others() {
    network(|| {
        let valid =
            |source| Executive::validate_transaction(source, report(votes(2, 0, BLOCKS), owner_proof(2)), GENESIS);
        let accepted = valid(TransactionSource::Local).expect("a true report");
        assert!(!accepted.propagate);
        assert_eq!(accepted.longevity, configs::REPORT_BLOCKS);
        assert_eq!(valid(TransactionSource::External), Err(InvalidTransaction::Call.into()));
    });
}
