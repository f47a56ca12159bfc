use frame_support::assert_noop;
use sp_core::H256;
use sp_runtime::DispatchError;

use super::*;

#[test]
fn in_a_batch_each_actions_events_stand_between_its_dispatch_and_the_end_of_its_item() {
    ledger(|| {
        for seed in [1, 2] {
            assert_eq!(send(creation(seed)), Ok(()));
        }
        events();
        let deactivate = RuntimeCall::Did(pallet_did::Call::deactivate { did: id_of(1) });
        let calls = vec![
            dispatch(1, 1, vec![registry(1)]),
            dispatch(1, 2, vec![registry(2), deactivate.clone()]),
            dispatch(1, 2, vec![registry(3)]),
            dispatch(2, 7, vec![registry(4)]),
        ];
        assert_eq!(send(RuntimeCall::Utility(pallet_utility::Call::force_batch { calls })), Ok(()));
        let dispatched = |nonce, registry_: RuntimeCall| {
            let call_hash = blake2_256(&vec![registry_].encode());
            let did = Did::Svc(id_of(1));
            RuntimeEvent::Did(pallet_did::Event::Dispatched { did, key_id: 1, nonce, submitter: SUBMITTER, call_hash })
        };
        let initialized = |number| {
            RuntimeEvent::TrustRegistry(pallet_trust_registry::Event::TrustRegistryInitialized {
                registry_id: H256([number; 32]),
                convener: Did::Svc(id_of(1)),
                name: b"Universities".to_vec().try_into().expect("a short name"),
                gov_framework: b"https://example.org".to_vec().try_into().expect("a short reference"),
            })
        };
        let failed = |error: DispatchError| RuntimeEvent::Utility(pallet_utility::Event::ItemFailed { error });
        let completed = || RuntimeEvent::Utility(pallet_utility::Event::ItemCompleted);
        let expected = [
            dispatched(1, registry(1)),
            initialized(1),
            completed(),
            failed(pallet_did::Error::<Runtime>::StillConvener.into()),
            dispatched(2, registry(3)),
            initialized(3),
            completed(),
            failed(pallet_did::Error::<Runtime>::BadNonce.into()),
            RuntimeEvent::Utility(pallet_utility::Event::BatchCompletedWithErrors),
        ];
        assert_eq!(events(), expected);
    });
}

#[test]
fn a_did_makes_calls_of_the_three_pallets_and_no_others() {
    ledger(|| {
        assert_eq!(send(creation(1)), Ok(()));
        let remark = RuntimeCall::System(frame_system::Call::remark { remark: vec![] });
        let others = [
            remark.clone(),
            RuntimeCall::Utility(pallet_utility::Call::batch { calls: vec![registry(1)] }),
            RuntimeCall::Sudo(pallet_sudo::Call::sudo { call: Box::new(remark) }),
            RuntimeCall::Timestamp(pallet_timestamp::Call::set { now: 1 }),
            creation(2),
            dispatch(1, 1, vec![registry(1)]),
        ];
        for other in others {
            let refused = dispatch(1, 1, vec![registry(1), other]);
            assert_noop!(send(refused), pallet_did::Error::<Runtime>::CallNotAllowed);
        }
        let revocation = RuntimeCall::Revocation(pallet_revocation::Call::create {
            registry_id: H256([1; 32]),
            policy: [Did::Svc(id_of(1))].into(),
            add_only: false,
            kind: pallet_revocation::KindInput::StatusList { length: 131_072 },
        });
        assert_eq!(send(dispatch(1, 1, vec![registry(1), revocation])), Ok(()));
    });
}

#[test]
fn a_convener_is_deactivated_after_its_registry_is_removed() {
    ledger(|| {
        assert_eq!(send(creation(1)), Ok(()));
        let deactivate = RuntimeCall::Did(pallet_did::Call::deactivate { did: id_of(1) });
        let registry_id = H256([1; 32]);
        let remove = RuntimeCall::TrustRegistry(pallet_trust_registry::Call::remove_trust_registry { registry_id });
        assert_eq!(send(dispatch(1, 1, vec![registry(1)])), Ok(()));
        let refused = dispatch(1, 2, vec![deactivate.clone()]);
        assert_noop!(send(refused), pallet_did::Error::<Runtime>::StillConvener);
        assert_eq!(send(dispatch(1, 2, vec![remove, deactivate])), Ok(()));
    });
}
