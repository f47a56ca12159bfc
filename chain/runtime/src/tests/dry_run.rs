use super::*;
use crate::dry_run::dry_run;

fn root() -> Vec<u8> {
    sp_io::storage::root(sp_runtime::StateVersion::V1)
}

#[test]
fn it_tells_what_calls_would_do_one_after_the_other_and_undoes_them() {
    ledger(|| {
        let before = root();
        let calls = vec![creation(1), dispatch(1, 2, vec![registry(1)]), dispatch(1, 1, vec![registry(1)])];
        let outcomes = dry_run(GENESIS, NOW, SUBMITTER, calls);
        let told: Vec<Result<usize, _>> = outcomes.into_iter().map(|told| told.map(|events| events.len())).collect();
        let bad_nonce = pallet_did::Error::<Runtime>::BadNonce.into();
        // Created and KeyAdded; Dispatched and TrustRegistryInitialized.
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
        let outcome = |now| dry_run(GENESIS, now, SUBMITTER, vec![dispatch(1, 1, vec![registry(1)])]).remove(0);
        assert!(outcome(0).is_ok());
        assert!(outcome(NOW).is_ok());
        assert_eq!(outcome(NOW + 1), Err(pallet_did::Error::<Runtime>::Expired.into()));
    });
}

#[test]
fn it_makes_no_calls_of_other_pallets() {
    ledger(|| {
        let remark = RuntimeCall::System(frame_system::Call::remark { remark: vec![] });
        let outcomes = dry_run(GENESIS, NOW, SUBMITTER, vec![remark, registry(1)]);
        assert_eq!(outcomes, [Err(sp_runtime::DispatchError::BadOrigin), Err(sp_runtime::DispatchError::BadOrigin)]);
    });
}
