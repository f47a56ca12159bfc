use frame_support::{assert_noop, assert_ok};

use super::*;

fn suspend(dids: &[Did]) -> Call<Test> {
    Call::suspend_verifiers { registry_id: REGISTRY, verifiers: dids.iter().cloned().collect() }
}

#[test]
fn verifiers_are_suspended_and_told_one_by_one() {
    with_registry(|| {
        add(schema(1), metadata(&[], &[did(2), did(3)]));
        assert_ok!(act(CONVENER, suspend(&[did(2), did(3)])));
        let told = |verifier| Event::VerifierSuspended { registry_id: REGISTRY, verifier };
        assert_eq!(events(), [told(did(2)), told(did(3))]);
    });
}

#[test]
fn there_is_one_flag_for_all_roles() {
    with_registry(|| {
        add(schema(1), metadata(&[did(2)], &[did(2)]));
        assert_ok!(act(CONVENER, suspend(&[did(2)])));
        let as_issuer = Call::suspend_issuers { registry_id: REGISTRY, issuers: [did(2)].into() };
        assert_noop!(act(CONVENER, as_issuer), Error::<Test>::AlreadySuspended);
    });
}

#[test]
fn issuers_no_dids_and_other_actors_are_refused() {
    with_registry(|| {
        add(schema(1), metadata(&[did(2)], &[did(3)]));
        assert_noop!(act(CONVENER, suspend(&[did(2), did(3)])), Error::<Test>::NotFound);
        assert_noop!(act(CONVENER, suspend(&[])), Error::<Test>::EmptyUpdate);
        assert_noop!(act(did(3), suspend(&[did(3)])), Error::<Test>::NotAuthorized);
    });
}
