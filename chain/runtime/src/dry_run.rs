//! What calls would do, without doing it: before somebody signs or pays for them.

use alloc::vec::Vec;
use frame_support::storage::{with_storage_layer, with_transaction, TransactionOutcome};
use frame_system::{EventRecord, RawOrigin};
use pallet_did::Call as DidCall;
use sp_runtime::{traits::Dispatchable, DispatchError};

use crate::{AccountId, Did, Hash, Runtime, RuntimeCall, RuntimeEvent, System};

/// The events of a call, or why it is refused.
pub type Outcome = Result<Vec<EventRecord<RuntimeEvent, Hash>>, DispatchError>;

sp_api::decl_runtime_apis! {
    /// What calls would do. Version 2 brought what needs no signature.
    #[api_version(2)]
    pub trait DryRunApi {
        /// Makes calls of the DID pallet as an account, in their order, each in a storage layer of its own, as if in the
        /// block after `parent` at the instant `now` (milliseconds since 1970); and undoes them. One outcome for each.
        fn dry_run(parent: Hash, now: u64, submitter: AccountId, calls: Vec<RuntimeCall>) -> Vec<Outcome>;

        /// The same, with every authorisation taken as signed: what its owner may ask before signing.
        fn dry_run_unsigned(parent: Hash, now: u64, submitter: AccountId, calls: Vec<RuntimeCall>) -> Vec<Outcome>;
    }
}

/// Whether authorisations have to be signed.
#[derive(Clone, Copy)]
pub enum Signatures {
    /// As the ledger checks them.
    Checked,
    /// Taken for granted.
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
