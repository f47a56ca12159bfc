use frame_support::{assert_noop, assert_ok};

use crate::{tests::*, *};

const S: sp_core::H256 = schema(1);

fn is_public() -> bool {
    Schemas::<Test>::get(REGISTRY, S).expect("the schema").public
}

fn open() -> SchemasUpdate {
    one(S, SchemaOp::Modify(verifiers(VerifiersUpdate::Set(Default::default()))))
}

fn priced() -> Metadata {
    Metadata { issuers: [(did(2), prices(&[("EUR", 0)]))].into(), verifiers: None }
}

#[test]
fn an_empty_set_of_verifiers_opens_a_schema_in_add_set_and_modify() {
    with_registry(|| {
        add(S, public(&[did(2)]));
        assert!(is_public());
        assert_ok!(update_at(CONVENER, one(S, SchemaOp::Set(metadata(&[did(2)], &[]))), Some(1)));
        assert_eq!(events(), [public_set(S, false), versioned(2)]);
        assert_ok!(update_at(CONVENER, one(S, SchemaOp::Set(public(&[did(2)]))), Some(2)));
        assert_eq!(events(), [public_set(S, true), versioned(3)]);
        assert_ok!(update_at(CONVENER, one(S, SchemaOp::Set(metadata(&[], &[did(3)]))), Some(3)));
        let closed = [public_set(S, false), issuer_left(S, did(2)), verifier_changed(S, did(3), true), versioned(4)];
        assert_eq!(events(), closed);
        assert_ok!(update_at(CONVENER, open(), Some(4)));
        assert_eq!(events(), [verifier_changed(S, did(3), false), public_set(S, true), versioned(5)]);
        assert_ok!(update_at(CONVENER, open(), Some(5)));
        assert_eq!(events(), []);
    });
}

#[test]
fn removing_and_leaving_never_open_a_schema() {
    with_registry(|| {
        add(S, metadata(&[], &[did(2), did(3)]));
        assert_ok!(update(did(2), verifier(S, did(2), VerifierOp::Remove)));
        assert_ok!(update(CONVENER, verifier(S, did(3), VerifierOp::Discard)));
        assert!(!is_public());
    });
}

#[test]
fn a_verifier_that_comes_closes_a_schema_and_one_that_does_not_leaves_it_open() {
    with_registry(|| {
        add(S, public(&[]));
        assert_ok!(update(CONVENER, verifier(S, did(2), VerifierOp::Discard)));
        assert!(is_public());
        assert_ok!(update(CONVENER, verifier(S, did(2), VerifierOp::Ensure)));
        assert_eq!(events(), [public_set(S, false), verifier_changed(S, did(2), true), versioned(2)]);
    });
}

#[test]
fn a_public_schema_cannot_carry_a_price_not_even_zero() {
    with_registry(|| {
        let both = Metadata { verifiers: Some(Default::default()), ..priced() };
        assert_noop!(update(CONVENER, one(S, SchemaOp::Add(both))), Error::<Test>::PublicSchemaPriced);
        add(S, priced());
        assert_noop!(update_at(CONVENER, open(), Some(1)), Error::<Test>::PublicSchemaPriced);
        assert_ok!(update(did(2), issuer(S, did(2), IssuerOp::Set(prices(&[])))));
        assert_ok!(update_at(CONVENER, open(), Some(2)));
        let price = IssuerOp::Set(prices(&[("EUR", 0)]));
        assert_noop!(update(did(2), issuer(S, did(2), price)), Error::<Test>::PublicSchemaPriced);
    });
}

#[test]
fn a_price_and_a_verifier_may_come_together_to_a_schema_that_was_open() {
    with_registry(|| {
        add(S, public(&[did(2)]));
        let both = MetadataUpdate {
            issuers: Some(IssuersUpdate::Modify([(did(2), IssuerOp::Set(prices(&[("EUR", 1)])))].into())),
            verifiers: Some(VerifiersUpdate::Modify([(did(3), VerifierOp::Add)].into())),
        };
        assert_ok!(update(CONVENER, one(S, SchemaOp::Modify(both))));
        assert!(!is_public());
    });
}

#[test]
fn a_removed_public_schema_comes_back_closed() {
    with_registry(|| {
        add(S, public(&[]));
        assert_ok!(update(CONVENER, one(S, SchemaOp::Remove)));
        assert_eq!(events(), [schema_removed(S), versioned(2)]);
        assert_ok!(update(CONVENER, one(S, SchemaOp::Ensure(MetadataUpdate::default()))));
        assert!(!is_public());
    });
}
