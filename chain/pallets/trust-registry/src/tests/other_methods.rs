use codec::{Decode, Encode};
use frame_support::{assert_noop, assert_ok};

use super::*;

/// A DID that the ledger knows as a text.
fn web() -> Did {
    Did::decode(&mut (2u8, b"did:web:example.org".to_vec()).encode().as_slice()).expect("a DID")
}

#[test]
fn a_did_of_another_method_issues_verifies_and_has_prices_like_any_other() {
    with_registry(|| {
        add(schema(1), metadata(&[did(2)], &[did(3)]));
        let list = issuer(schema(1), web(), IssuerOp::Set(prices(&[("EUR", 5)])));
        assert_ok!(update(CONVENER, list));
        assert_ok!(update(CONVENER, verifier(schema(1), web(), VerifierOp::Add)));
        assert_eq!(events()[0], issuer_changed(schema(1), web(), None, Some(stored_prices(&[("EUR", 5)]))));
        let authorized = |role| Pallet::<Test>::authorized(REGISTRY, schema(1), web(), role);
        assert_eq!(authorized(Role::Issuer), Ok(Authorization::Direct));
        assert_eq!(authorized(Role::Verifier), Ok(Authorization::Direct));
        let issuers = [web()].into();
        assert_ok!(act(CONVENER, Call::suspend_issuers { registry_id: REGISTRY, issuers }));
        assert_eq!(authorized(Role::Issuer), Ok(Authorization::Suspended));
        assert_eq!(authorized(Role::Verifier), Ok(Authorization::Suspended));
    });
}

#[test]
fn a_did_of_another_method_is_a_delegate_and_never_a_convener() {
    with_registry(|| {
        add(schema(1), metadata(&[did(2)], &[]));
        delegate(did(2), &[web()]);
        let authorized = Pallet::<Test>::authorized(REGISTRY, schema(1), web(), Role::Issuer);
        assert_eq!(authorized, Ok(Authorization::Delegated { via: did(2) }));
        let offer = || Call::transfer_trust_registry { registry_id: REGISTRY, new_convener: web() };
        assert_noop!(act(CONVENER, offer()), Error::<Test>::Inactive);
        let handed_over = RuntimeCall::TrustRegistry(offer()).dispatch(RuntimeOrigin::root());
        assert_eq!(handed_over.map_err(|failure| failure.error), Err(Error::<Test>::Inactive.into()));
        assert_eq!(act(web(), offer()), Err(sp_runtime::DispatchError::BadOrigin));
    });
}
