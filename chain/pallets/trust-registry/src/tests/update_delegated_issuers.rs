use frame_support::{assert_noop, assert_ok};

use super::*;
use crate::limits::*;

fn set(delegates: &[Did]) -> Call<Test> {
    let delegated = DelegatedUpdate::Set(delegates.iter().cloned().collect());
    Call::update_delegated_issuers { registry_id: REGISTRY, delegated }
}

fn modify(ops: &[(Did, DelegateOp)]) -> Call<Test> {
    let delegated = DelegatedUpdate::Modify(ops.iter().cloned().collect());
    Call::update_delegated_issuers { registry_id: REGISTRY, delegated }
}

fn added(delegate: Did) -> Event<Test> {
    Event::DelegateAdded { registry_id: REGISTRY, issuer: did(2), delegate }
}

fn removed(delegate: Did) -> Event<Test> {
    Event::DelegateRemoved { registry_id: REGISTRY, issuer: did(2), delegate }
}

fn with_issuer(test: impl FnOnce()) {
    with_registry(|| {
        add(schema(1), metadata(&[did(2)], &[]));
        test();
    });
}

#[test]
fn delegates_are_named_and_withdrawn_in_their_order() {
    with_issuer(|| {
        assert_ok!(act(did(2), set(&[did(3), did(4)])));
        assert_eq!(events(), [added(did(3)), added(did(4))]);
        assert_ok!(act(did(2), set(&[did(3), did(4)])));
        assert_eq!(events(), []);
        assert_ok!(act(did(2), modify(&[(did(3), DelegateOp::Remove), (did(5), DelegateOp::Add)])));
        assert_eq!(events(), [removed(did(3)), added(did(5))]);
        assert_ok!(act(did(2), set(&[])));
        assert_eq!(events(), [removed(did(4)), removed(did(5))]);
    });
}

#[test]
fn delegations_end_with_the_issuers_last_schema_and_do_not_come_back() {
    with_issuer(|| {
        add(schema(2), metadata(&[did(2)], &[]));
        delegate(did(2), &[did(3), did(4)]);
        assert_ok!(update(CONVENER, one(schema(1), SchemaOp::Remove)));
        assert_eq!(events(), [issuer_left(schema(1), did(2)), schema_removed(schema(1)), versioned(3)]);
        assert_ok!(update(did(2), issuer(schema(2), did(2), IssuerOp::Discard)));
        assert_eq!(events(), [issuer_left(schema(2), did(2)), removed(did(3)), removed(did(4)), versioned(4)]);
        assert_ok!(update(CONVENER, issuer(schema(2), did(2), IssuerOp::Add(prices(&[])))));
        assert_eq!(events(), [issuer_came(schema(2), did(2)), versioned(5)]);
    });
}

#[test]
fn an_issuer_that_changes_schemas_in_one_update_keeps_its_delegates() {
    with_issuer(|| {
        delegate(did(2), &[did(3)]);
        let ops = [(schema(1), SchemaOp::Remove), (schema(2), SchemaOp::Add(metadata(&[did(2)], &[])))];
        assert_ok!(update(CONVENER, SchemasUpdate::Modify(ops.into())));
        assert!(Delegations::<Test>::contains_key((did(3), REGISTRY, did(2))));
    });
}

#[test]
fn only_issuers_delegate_and_delegates_do_not() {
    with_issuer(|| {
        assert_ok!(act(did(2), set(&[did(3)])));
        for other in [CONVENER, did(3), did(4)] {
            assert_noop!(act(other, set(&[did(5)])), Error::<Test>::NotAuthorized);
        }
    });
}

#[test]
fn a_suspended_issuer_leaves_its_delegates_as_they_are() {
    with_issuer(|| {
        assert_ok!(act(CONVENER, Call::suspend_issuers { registry_id: REGISTRY, issuers: [did(2)].into() }));
        assert_noop!(act(did(2), set(&[did(3)])), Error::<Test>::Suspended);
    });
}

#[test]
fn the_issuer_itself_too_many_known_and_unknown_delegates_are_refused() {
    with_issuer(|| {
        let many: Vec<_> = (10..=10 + MAX_DELEGATES as u8).map(did).collect();
        assert_noop!(act(did(2), set(&many)), Error::<Test>::TooManyDelegates);
        assert_noop!(act(did(2), set(&[did(2)])), Error::<Test>::SelfDelegation);
        assert_noop!(act(did(2), modify(&[(did(2), DelegateOp::Add)])), Error::<Test>::SelfDelegation);
        assert_noop!(act(did(2), modify(&[])), Error::<Test>::EmptyUpdate);
        assert_noop!(act(did(2), modify(&[(did(3), DelegateOp::Remove)])), Error::<Test>::NotFound);
        assert_ok!(act(did(2), set(&many[1..])));
        assert_noop!(act(did(2), modify(&[(many[0].clone(), DelegateOp::Add)])), Error::<Test>::TooManyDelegates);
        assert_noop!(act(did(2), modify(&[(many[1].clone(), DelegateOp::Add)])), Error::<Test>::AlreadyExists);
        assert_ok!(act(did(2), modify(&[(many[0].clone(), DelegateOp::Add), (many[1].clone(), DelegateOp::Remove)])));
        let elsewhere = DelegatedUpdate::Set(Default::default());
        let elsewhere = Call::update_delegated_issuers { registry_id: H256([7; 32]), delegated: elsewhere };
        assert_noop!(act(did(2), elsewhere), Error::<Test>::NotFound);
    });
}
