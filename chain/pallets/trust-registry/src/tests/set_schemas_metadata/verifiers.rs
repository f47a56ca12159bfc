use frame_support::{assert_noop, assert_ok};

use crate::{tests::*, *};

const S: sp_core::H256 = schema(1);

fn by_convener(op: VerifierOp) -> DispatchResult {
    update(CONVENER, verifier(S, did(2), op))
}

#[test]
fn add_lists_a_verifier_once_and_remove_needs_it_listed() {
    with_registry(|| {
        add(S, metadata(&[], &[]));
        assert_ok!(by_convener(VerifierOp::Add));
        assert_eq!(events(), [verifier_changed(S, did(2), true), versioned(2)]);
        assert_noop!(by_convener(VerifierOp::Add), Error::<Test>::AlreadyExists);
        assert_ok!(by_convener(VerifierOp::Remove));
        assert_eq!(events(), [verifier_changed(S, did(2), false), versioned(3)]);
        assert_noop!(by_convener(VerifierOp::Remove), Error::<Test>::NotFound);
    });
}

#[test]
fn ensure_and_discard_never_refuse_for_presence() {
    with_registry(|| {
        add(S, metadata(&[], &[]));
        assert_ok!(by_convener(VerifierOp::Discard));
        assert_eq!(events(), []);
        assert_ok!(by_convener(VerifierOp::Ensure));
        assert_eq!(events(), [verifier_changed(S, did(2), true), versioned(2)]);
        assert_ok!(by_convener(VerifierOp::Ensure));
        assert_eq!(events(), []);
        assert_ok!(by_convener(VerifierOp::Discard));
        assert_eq!(events(), [verifier_changed(S, did(2), false), versioned(3)]);
    });
}

#[test]
fn set_of_verifiers_removes_the_others_and_leaves_issuers_alone() {
    with_registry(|| {
        add(S, metadata(&[did(2)], &[did(2), did(3)]));
        let set = VerifiersUpdate::Set([did(3), did(4)].into());
        assert_ok!(update_at(CONVENER, one(S, SchemaOp::Modify(verifiers(set))), Some(1)));
        assert_eq!(events(), [verifier_changed(S, did(2), false), verifier_changed(S, did(4), true), versioned(2)]);
    });
}
