use frame_support::{assert_noop, assert_ok};

use super::*;

fn unsuspend(dids: &[Did]) -> Call<Test> {
    Call::unsuspend_verifiers { registry_id: REGISTRY, verifiers: dids.iter().cloned().collect() }
}

#[test]
fn a_suspension_ends_whatever_the_role_in_which_it_was_made() {
    with_registry(|| {
        add(schema(1), metadata(&[did(2)], &[]));
        assert_ok!(act(CONVENER, Call::suspend_issuers { registry_id: REGISTRY, issuers: [did(2)].into() }));
        events();
        assert_ok!(act(CONVENER, unsuspend(&[did(2)])));
        assert_eq!(events(), [Event::VerifierUnsuspended { registry_id: REGISTRY, verifier: did(2) }]);
    });
}

#[test]
fn refused_are_those_not_suspended_nobody_and_other_actors() {
    with_registry(|| {
        add(schema(1), metadata(&[], &[did(2)]));
        assert_noop!(act(CONVENER, unsuspend(&[did(2)])), Error::<Test>::NotSuspended);
        assert_noop!(act(CONVENER, unsuspend(&[])), Error::<Test>::EmptyUpdate);
        assert_noop!(act(did(2), unsuspend(&[did(2)])), Error::<Test>::NotAuthorized);
    });
}
