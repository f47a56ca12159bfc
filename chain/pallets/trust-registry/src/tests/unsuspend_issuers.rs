use frame_support::{assert_noop, assert_ok};

use super::*;

fn suspend(dids: &[Did]) -> Call<Test> {
    Call::suspend_issuers { registry_id: REGISTRY, issuers: dids.iter().cloned().collect() }
}

fn unsuspend(dids: &[Did]) -> Call<Test> {
    Call::unsuspend_issuers { registry_id: REGISTRY, issuers: dids.iter().cloned().collect() }
}

#[test]
fn a_suspension_ends_also_of_one_that_left() {
    with_registry(|| {
        add(schema(1), metadata(&[did(2), did(3)], &[]));
        assert_ok!(act(CONVENER, suspend(&[did(2), did(3)])));
        assert_ok!(update(did(2), issuer(schema(1), did(2), IssuerOp::Remove)));
        events();
        assert_ok!(act(CONVENER, unsuspend(&[did(2), did(3)])));
        let told = |issuer| Event::IssuerUnsuspended { registry_id: REGISTRY, issuer };
        assert_eq!(events(), [told(did(2)), told(did(3))]);
    });
}

#[test]
fn refused_are_those_not_suspended_nobody_and_other_actors() {
    with_registry(|| {
        add(schema(1), metadata(&[did(2), did(3)], &[]));
        assert_ok!(act(CONVENER, suspend(&[did(2)])));
        assert_noop!(act(CONVENER, unsuspend(&[did(2), did(3)])), Error::<Test>::NotSuspended);
        assert_noop!(act(CONVENER, unsuspend(&[])), Error::<Test>::EmptyUpdate);
        assert_noop!(act(did(2), unsuspend(&[did(2)])), Error::<Test>::NotAuthorized);
    });
}
