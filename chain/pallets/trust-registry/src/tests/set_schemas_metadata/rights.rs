use frame_support::{assert_noop, assert_ok};

use crate::{tests::*, *};

const S: sp_core::H256 = schema(1);

fn with_both(test: impl FnOnce()) {
    with_registry(|| {
        add(S, metadata(&[did(2), did(4)], &[did(3), did(4)]));
        test();
    });
}

#[test]
fn an_issuer_changes_its_own_prices_and_leaves() {
    with_both(|| {
        assert_ok!(update(did(2), issuer(S, did(2), IssuerOp::Set(prices(&[("EUR", 1)])))));
        let ops = [(b"EUR".to_vec(), PriceOp::Remove)].into();
        assert_ok!(update(did(2), issuer(S, did(2), IssuerOp::Modify(ops))));
        assert_ok!(update(did(2), issuer(S, did(2), IssuerOp::Ensure)));
        assert_ok!(update(did(2), issuer(S, did(2), IssuerOp::Discard)));
        assert_noop!(update(did(2), issuer(S, did(2), IssuerOp::Ensure)), Error::<Test>::NotAuthorized);
        assert_noop!(update(did(2), issuer(S, did(2), IssuerOp::Set(prices(&[])))), Error::<Test>::NotAuthorized);
        assert_noop!(update(did(2), issuer(S, did(2), IssuerOp::Discard)), Error::<Test>::NotAuthorized);
    });
}

#[test]
fn a_verifier_leaves_and_does_not_come_back_by_itself() {
    with_both(|| {
        assert_ok!(update(did(3), verifier(S, did(3), VerifierOp::Remove)));
        assert_noop!(update(did(3), verifier(S, did(3), VerifierOp::Add)), Error::<Test>::NotAuthorized);
        assert_noop!(update(did(3), verifier(S, did(3), VerifierOp::Ensure)), Error::<Test>::NotAuthorized);
    });
}

#[test]
fn who_is_both_does_both_in_one_update() {
    with_both(|| {
        let both = MetadataUpdate {
            issuers: Some(IssuersUpdate::Modify([(did(4), IssuerOp::Set(prices(&[("EUR", 1)])))].into())),
            verifiers: Some(VerifiersUpdate::Modify([(did(4), VerifierOp::Remove)].into())),
        };
        assert_ok!(update(did(4), one(S, SchemaOp::Modify(both))));
        let came = issuer_changed(S, did(4), Some(Prices::new()), Some(stored_prices(&[("EUR", 1)])));
        assert_eq!(events(), [came, verifier_changed(S, did(4), false), versioned(2)]);
    });
}

#[test]
fn nobody_changes_another_participant_not_even_to_the_same() {
    with_both(|| {
        for stranger in [did(2), did(3), did(9)] {
            let refused = |update_: SchemasUpdate| {
                assert_noop!(update(stranger.clone(), update_), Error::<Test>::NotAuthorized);
            };
            refused(issuer(S, did(4), IssuerOp::Ensure));
            refused(issuer(S, did(4), IssuerOp::Remove));
            refused(issuer(S, did(4), IssuerOp::Set(prices(&[]))));
            refused(issuer(S, did(9), IssuerOp::Discard));
            refused(issuer(S, did(9), IssuerOp::Add(prices(&[]))));
            refused(verifier(S, did(4), VerifierOp::Ensure));
            refused(verifier(S, did(4), VerifierOp::Discard));
            refused(verifier(S, did(9), VerifierOp::Add));
        }
    });
}

#[test]
fn only_the_convener_adds_removes_and_replaces() {
    with_both(|| {
        let refused = |update: SchemasUpdate| {
            assert_noop!(update_at(did(2), update, Some(1)), Error::<Test>::NotAuthorized);
        };
        refused(SchemasUpdate::Set(Default::default()));
        refused(one(S, SchemaOp::Set(metadata(&[did(2), did(4)], &[did(3), did(4)]))));
        refused(one(S, SchemaOp::Remove));
        refused(one(S, SchemaOp::Discard));
        refused(one(S, SchemaOp::Ensure(MetadataUpdate::default())));
        refused(one(schema(2), SchemaOp::Add(metadata(&[], &[]))));
        refused(one(schema(2), SchemaOp::Discard));
        let unchanged = [(did(2), prices(&[])), (did(4), prices(&[]))].into();
        refused(one(S, SchemaOp::Modify(issuers(IssuersUpdate::Set(unchanged)))));
        refused(one(S, SchemaOp::Modify(verifiers(VerifiersUpdate::Set([did(3), did(4)].into())))));
    });
}

#[test]
fn a_role_in_one_schema_gives_no_right_in_another() {
    with_both(|| {
        add(schema(2), metadata(&[], &[did(2)]));
        let op = IssuerOp::Set(prices(&[]));
        assert_noop!(update(did(2), issuer(schema(2), did(2), op)), Error::<Test>::NotAuthorized);
        assert_noop!(update(did(3), issuer(S, did(3), IssuerOp::Discard)), Error::<Test>::NotAuthorized);
    });
}

#[test]
fn presence_is_refused_before_right() {
    with_both(|| {
        let stranger = did(9);
        assert_noop!(update(stranger.clone(), one(S, SchemaOp::Add(metadata(&[], &[])))), Error::<Test>::AlreadyExists);
        assert_noop!(update(stranger.clone(), one(schema(2), SchemaOp::Remove)), Error::<Test>::NotFound);
        assert_noop!(update(stranger.clone(), issuer(schema(2), did(2), IssuerOp::Remove)), Error::<Test>::NotFound);
        assert_noop!(update(stranger.clone(), issuer(S, did(3), IssuerOp::Remove)), Error::<Test>::NotFound);
        let add = IssuerOp::Add(prices(&[]));
        assert_noop!(update(stranger.clone(), issuer(S, did(2), add)), Error::<Test>::AlreadyExists);
        assert_noop!(update(stranger.clone(), verifier(S, did(3), VerifierOp::Add)), Error::<Test>::AlreadyExists);
        assert_noop!(update(stranger, verifier(S, did(2), VerifierOp::Remove)), Error::<Test>::NotFound);
    });
}
