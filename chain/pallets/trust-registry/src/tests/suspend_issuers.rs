use frame_support::{assert_noop, assert_ok};

use super::*;
use crate::limits::*;

fn suspend(dids: &[Did]) -> Call<Test> {
    Call::suspend_issuers { registry_id: REGISTRY, issuers: dids.iter().cloned().collect() }
}

#[test]
fn issuers_and_delegates_are_suspended_and_told_one_by_one() {
    with_registry(|| {
        add(schema(1), metadata(&[did(2)], &[]));
        delegate(did(2), &[did(3)]);
        assert_ok!(act(CONVENER, suspend(&[did(2), did(3)])));
        let told = |issuer| Event::IssuerSuspended { registry_id: REGISTRY, issuer };
        assert_eq!(events(), [told(did(2)), told(did(3))]);
        assert_eq!(version(), 1);
    });
}

#[test]
fn one_that_is_not_of_that_role_or_suspended_already_refuses_all() {
    with_registry(|| {
        add(schema(1), metadata(&[did(2), did(3)], &[did(4)]));
        assert_noop!(act(CONVENER, suspend(&[did(2), did(4)])), Error::<Test>::NotFound);
        assert_noop!(act(CONVENER, suspend(&[did(2), did(9)])), Error::<Test>::NotFound);
        assert_ok!(act(CONVENER, suspend(&[did(3)])));
        assert_noop!(act(CONVENER, suspend(&[did(2), did(3)])), Error::<Test>::AlreadySuspended);
    });
}

#[test]
fn a_suspension_outlives_leaving_and_coming_back() {
    with_registry(|| {
        add(schema(1), metadata(&[did(2)], &[]));
        assert_ok!(act(CONVENER, suspend(&[did(2)])));
        assert_ok!(update(CONVENER, one(schema(1), SchemaOp::Remove)));
        add(schema(1), metadata(&[did(2)], &[]));
        assert_noop!(act(CONVENER, suspend(&[did(2)])), Error::<Test>::AlreadySuspended);
    });
}

#[test]
fn a_suspended_issuer_changes_its_prices_and_leaves() {
    with_registry(|| {
        add(schema(1), metadata(&[did(2)], &[]));
        assert_ok!(act(CONVENER, suspend(&[did(2)])));
        assert_ok!(update(did(2), issuer(schema(1), did(2), IssuerOp::Set(prices(&[("EUR", 1)])))));
        assert_ok!(update(did(2), issuer(schema(1), did(2), IssuerOp::Remove)));
    });
}

#[test]
fn unknown_registries_too_many_dids_no_dids_and_other_actors_are_refused_in_this_order() {
    with_registry(|| {
        let many: Vec<_> = (0..=MAX_SUSPENSIONS as u16)
            .map(|number| {
                let mut key = [0; 32];
                key[..2].copy_from_slice(&number.to_be_bytes());
                Did::Key(DidKey::Ed25519(key))
            })
            .collect();
        let elsewhere = Call::suspend_issuers { registry_id: H256([7; 32]), issuers: Default::default() };
        assert_noop!(act(did(2), elsewhere), Error::<Test>::NotFound);
        assert_noop!(act(did(2), suspend(&many)), Error::<Test>::TooManySuspensions);
        assert_noop!(act(did(2), suspend(&[])), Error::<Test>::EmptyUpdate);
        assert_noop!(act(did(2), suspend(&many[1..])), Error::<Test>::NotAuthorized);
    });
}
