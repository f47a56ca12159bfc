//! Extrinsics that nobody signs: a block's time, a report of a double vote, and a code whose hash was voted for.
//! Nothing else comes in by that door.

use pallet_transaction_payment::ChargeTransactionPayment;
use sp_runtime::{
    generic::Era,
    transaction_validity::{InvalidTransaction, TransactionSource, TransactionValidityError},
};

use super::*;
use crate::{Executive, TxExtension, UncheckedExtrinsic};

/// Calls of every pallet that has some.
fn calls() -> Vec<RuntimeCall> {
    let remark = || RuntimeCall::System(frame_system::Call::remark { remark: vec![] });
    let dest = || account(9).into();
    vec![
        remark(),
        RuntimeCall::System(frame_system::Call::set_code { code: vec![] }),
        RuntimeCall::System(frame_system::Call::apply_authorized_upgrade { code: vec![] }),
        RuntimeCall::Grandpa(pallet_grandpa::Call::note_stalled { delay: 1, best_finalized_block_number: 1 }),
        RuntimeCall::Governance(act(remark())),
        RuntimeCall::Governance(set_validators(&[1])),
        RuntimeCall::Governance(GovernanceCall::set_keys { keys: keys(1), proof: vec![] }),
        RuntimeCall::Balances(pallet_balances::Call::transfer_allow_death { dest: dest(), value: 1 }),
        RuntimeCall::Utility(pallet_utility::Call::batch { calls: vec![remark()] }),
        RuntimeCall::Sudo(pallet_sudo::Call::sudo { call: Box::new(remark()) }),
        RuntimeCall::Session(pallet_session::Call::purge_keys {}),
        RuntimeCall::Council(pallet_collective::Call::execute { proposal: Box::new(remark()), length_bound: 9 }),
        RuntimeCall::CouncilMembers(pallet_membership::Call::reset_members { members: vec![] }),
        creation(1),
        dispatch(1, 1, vec![registry(1)]),
        registry(1),
        RuntimeCall::Revocation(pallet_revocation::Call::remove { registry_id: H256([1; 32]) }),
    ]
}

fn extension() -> TxExtension {
    (
        frame_system::CheckNonZeroSender::new(),
        frame_system::CheckSpecVersion::new(),
        frame_system::CheckTxVersion::new(),
        frame_system::CheckGenesis::new(),
        frame_system::CheckMortality::from(Era::Immortal),
        frame_system::CheckNonce::from(0),
        frame_system::CheckWeight::new(),
        ChargeTransactionPayment::from(0),
        frame_system::WeightReclaim::new(),
    )
}

#[test]
fn no_call_of_any_pallet_comes_in_without_a_signature() {
    network(|| {
        for call in calls() {
            let bare = UncheckedExtrinsic::new_bare(call.clone());
            for source in [TransactionSource::External, TransactionSource::Local, TransactionSource::InBlock] {
                let valid = Executive::validate_transaction(source, bare.clone(), GENESIS);
                assert!(valid.is_err(), "{source:?} {call:?}");
            }
            // A block's author may put it in all the same, and it does nothing.
            assert!(!matches!(Executive::apply_extrinsic(bare), Ok(Ok(()))), "{call:?}");
            let general = UncheckedExtrinsic::new_transaction(call.clone(), extension());
            assert!(Executive::apply_extrinsic(general).is_err(), "{call:?}");
        }
    });
}

#[test]
fn an_extrinsic_with_all_checks_and_no_sender_is_refused_for_that() {
    network(|| {
        let remark = frame_system::Call::remark { remark: vec![] };
        let general = UncheckedExtrinsic::new_transaction(remark.into(), extension());
        let refused = Err(TransactionValidityError::Invalid(InvalidTransaction::UnknownOrigin));
        assert_eq!(Executive::apply_extrinsic(general), refused);
    });
}
