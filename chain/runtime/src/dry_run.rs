//! Dry runs: the effect of calls, before somebody signs or pays for them.

use alloc::vec::Vec;
use frame_support::storage::{with_storage_layer, with_transaction, TransactionOutcome};
use frame_system::{EventRecord, RawOrigin};
use pallet_did::Call as DidCall;
use sp_runtime::{traits::Dispatchable, DispatchError};

use crate::{AccountId, Did, Hash, Runtime, RuntimeCall, RuntimeEvent, System};

/// The events of a call, or the error that refuses it.
pub type Outcome = Result<Vec<EventRecord<RuntimeEvent, Hash>>, DispatchError>;

sp_api::decl_runtime_apis! {
    /// Dry runs of calls. Version 2 added the one that needs no signature.
    #[api_version(2)]
    pub trait DryRunApi {
        /// Makes calls of the DID pallet as an account and undoes them. They run in their order, each in a storage
        /// layer of its own, as if in the block after `parent` at the instant `now` (milliseconds since 1970). Returns
        /// one outcome for each.
        fn dry_run(parent: Hash, now: u64, submitter: AccountId, calls: Vec<RuntimeCall>) -> Vec<Outcome>;

        /// Does the same with every authorisation taken as signed, so that a DID can ask before it signs.
        fn dry_run_unsigned(parent: Hash, now: u64, submitter: AccountId, calls: Vec<RuntimeCall>) -> Vec<Outcome>;
    }
}

/// Whether authorisations have to be signed.
#[derive(Clone, Copy)]
pub enum Signatures {
    /// Signatures are checked as on the ledger.
    Checked,
    /// Signatures are taken for granted.
    Granted,
}

pub fn dry_run(
    parent: Hash,
    now: u64,
    submitter: AccountId,
    calls: Vec<RuntimeCall>,
    signatures: Signatures,
) -> Vec<Outcome> {
    let outcomes = with_transaction(|| {
        System::initialize(&System::block_number().saturating_add(1), &parent, &Default::default());
        pallet_timestamp::Now::<Runtime>::mutate(|time| *time = now.max(*time));
        let outcomes = calls.into_iter().map(|call| outcome(&submitter, call, signatures)).collect();
        TransactionOutcome::Rollback(Ok::<_, DispatchError>(outcomes))
    });
    outcomes.unwrap_or_default()
}

fn outcome(submitter: &AccountId, call: RuntimeCall, signatures: Signatures) -> Outcome {
    let RuntimeCall::Did(call) = call else { return Err(DispatchError::BadOrigin) };
    System::reset_events();
    with_storage_layer(|| {
        let result = match (call, signatures) {
            (DidCall::dispatch_as { authorization, calls }, Signatures::Granted) => {
                Did::dispatch_as_if_signed(submitter.clone(), &authorization, calls)
            }
            (call, _) => RuntimeCall::Did(call).dispatch(RawOrigin::Signed(submitter.clone()).into()),
        };
        result.map(|_| ()).map_err(|failure| failure.error)
    })?;
    Ok(System::read_events_no_consensus().map(|record| *record).collect())
}
