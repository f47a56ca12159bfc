use super::*;
use crate::dry_run::{dry_run, Signatures::*};

type DidError = pallet_did::Error<Runtime>;

fn root() -> Vec<u8> {
    sp_io::storage::root(sp_runtime::StateVersion::V1)
}

#[test]
fn it_tells_what_calls_would_do_one_after_the_other_and_undoes_them() {
    ledger(|| {
        let before = root();
        let calls = vec![creation(1), dispatch(1, 2, vec![registry(1)]), dispatch(1, 1, vec![registry(1)])];
        let outcomes = dry_run(GENESIS, NOW, SUBMITTER, calls, Checked);
        let told: Vec<Result<usize, _>> = outcomes.into_iter().map(|told| told.map(|events| events.len())).collect();
        let bad_nonce = pallet_did::Error::<Runtime>::BadNonce.into();
        // The two events are Created and KeyAdded, then Dispatched and TrustRegistryInitialized.
        assert_eq!(told, [Ok(2), Err(bad_nonce), Ok(2)]);
        assert_eq!(root(), before);
        assert!(events().is_empty());
        assert_eq!(send(creation(1)), Ok(()));
    });
}

#[test]
fn it_runs_at_the_instant_that_is_asked_for_and_never_before_the_last_block() {
    ledger(|| {
        assert_eq!(send(creation(1)), Ok(()));
        let outcome =
            |now| dry_run(GENESIS, now, SUBMITTER, vec![dispatch(1, 1, vec![registry(1)])], Checked).remove(0);
        assert!(outcome(0).is_ok());
        assert!(outcome(NOW).is_ok());
        assert_eq!(outcome(NOW + 1), Err(pallet_did::Error::<Runtime>::Expired.into()));
    });
}

#[test]
fn it_makes_no_calls_of_other_pallets() {
    ledger(|| {
        let remark = RuntimeCall::System(frame_system::Call::remark { remark: vec![] });
        let outcomes = dry_run(GENESIS, NOW, SUBMITTER, vec![remark, registry(1)], Checked);
        assert_eq!(outcomes, [Err(sp_runtime::DispatchError::BadOrigin), Err(sp_runtime::DispatchError::BadOrigin)]);
    });
}

#[test]
fn before_its_owner_signs_it_tells_what_an_action_would_do_or_why_it_would_be_refused() {
    ledger(|| {
        let removal = || {
            let registry_id = H256([2; 32]);
            RuntimeCall::TrustRegistry(pallet_trust_registry::Call::remove_trust_registry { registry_id })
        };
        assert_eq!(send(creation(1)), Ok(()));
        assert_eq!(send(dispatch(1, 1, vec![registry(1)])), Ok(()));
        events();
        let before = root();
        let unsigned = |nonce, calls| {
            let mut call = dispatch(1, nonce, calls);
            if let RuntimeCall::Did(pallet_did::Call::dispatch_as { authorization, .. }) = &mut call {
                authorization.signature = [0; 64];
            }
            call
        };
        let remark = RuntimeCall::System(frame_system::Call::remark { remark: vec![] });
        let calls = vec![
            unsigned(2, vec![removal()]),
            unsigned(2, vec![registry(2)]),
            unsigned(2, vec![registry(3)]),
            unsigned(3, vec![removal()]),
            unsigned(4, vec![remark]),
        ];
        let ask = |signatures| {
            let outcomes = dry_run(GENESIS, NOW, SUBMITTER, calls.clone(), signatures).into_iter();
            outcomes.map(|told| told.map(|events| events.len())).collect::<Vec<_>>()
        };
        let of_did = |error: DidError| Err(error.into());
        let not_found = Err(pallet_trust_registry::Error::<Runtime>::NotFound.into());
        let [bad_nonce, not_allowed] = [DidError::BadNonce, DidError::CallNotAllowed].map(of_did);
        assert_eq!(ask(Granted), [not_found, Ok(2), bad_nonce, Ok(2), not_allowed]);
        assert!(ask(Checked).iter().all(Result::is_err));
        assert_eq!(ask(Checked)[0], of_did(DidError::BadSignature));
        assert_eq!(root(), before);
        assert!(events().is_empty());
    });
}
