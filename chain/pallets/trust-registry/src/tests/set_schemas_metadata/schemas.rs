use std::collections::BTreeMap;

use frame_support::{assert_noop, assert_ok};

use crate::{tests::*, *};

#[test]
fn an_added_schema_tells_itself_then_its_participants_in_their_order() {
    with_registry(|| {
        assert_ok!(update(CONVENER, one(schema(1), SchemaOp::Add(metadata(&[did(3), did(2)], &[did(4), did(2)])))));
        assert_eq!(
            events(),
            [
                schema_added(schema(1)),
                issuer_came(schema(1), did(2)),
                issuer_came(schema(1), did(3)),
                verifier_changed(schema(1), did(2), true),
                verifier_changed(schema(1), did(4), true),
                versioned(1),
            ]
        );
    });
}

#[test]
fn a_schema_is_added_once() {
    with_registry(|| {
        add(schema(1), metadata(&[did(2)], &[]));
        assert_noop!(update(CONVENER, one(schema(1), SchemaOp::Add(metadata(&[], &[])))), Error::<Test>::AlreadyExists);
    });
}

#[test]
fn a_removed_schema_tells_its_participants_then_itself() {
    with_registry(|| {
        add(schema(1), metadata(&[did(2)], &[did(2), did(3)]));
        assert_ok!(update(CONVENER, one(schema(1), SchemaOp::Remove)));
        assert_eq!(
            events(),
            [
                issuer_left(schema(1), did(2)),
                verifier_changed(schema(1), did(2), false),
                verifier_changed(schema(1), did(3), false),
                schema_removed(schema(1)),
                versioned(2),
            ]
        );
        assert_noop!(update(CONVENER, one(schema(1), SchemaOp::Remove)), Error::<Test>::NotFound);
    });
}

#[test]
fn a_schema_outlives_its_last_participant() {
    with_registry(|| {
        add(schema(1), metadata(&[did(2)], &[]));
        assert_ok!(update(did(2), issuer(schema(1), did(2), IssuerOp::Remove)));
        assert_eq!(events(), [issuer_left(schema(1), did(2)), versioned(2)]);
        assert!(Schemas::<Test>::contains_key(REGISTRY, schema(1)));
    });
}

#[test]
fn set_tells_only_the_difference_to_what_is_stored() {
    with_registry(|| {
        add(schema(1), metadata(&[did(2), did(3)], &[did(4)]));
        let set = |metadata| update_at(CONVENER, one(schema(1), SchemaOp::Set(metadata)), Some(version()));
        assert_ok!(set(metadata(&[did(3), did(5)], &[did(4), did(6)])));
        assert_eq!(
            events(),
            [
                issuer_left(schema(1), did(2)),
                issuer_came(schema(1), did(5)),
                verifier_changed(schema(1), did(6), true),
                versioned(2),
            ]
        );
        assert_ok!(set(metadata(&[did(3), did(5)], &[did(4), did(6)])));
        assert_eq!(events(), []);
        assert_eq!(version(), 2);
    });
}

#[test]
fn set_of_a_missing_schema_adds_it() {
    with_registry(|| {
        assert_ok!(update_at(CONVENER, one(schema(1), SchemaOp::Set(metadata(&[did(2)], &[]))), Some(0)));
        assert_eq!(events(), [schema_added(schema(1)), issuer_came(schema(1), did(2)), versioned(1)]);
    });
}

#[test]
fn ensure_adds_a_missing_schema_closed_and_never_refuses_one_that_is_there() {
    with_registry(|| {
        let ensure = || one(schema(1), SchemaOp::Ensure(MetadataUpdate::default()));
        assert_ok!(update(CONVENER, ensure()));
        assert_eq!(events(), [schema_added(schema(1)), versioned(1)]);
        assert_ok!(update(CONVENER, ensure()));
        assert_eq!(events(), []);
        let ops = IssuersUpdate::Modify([(did(2), IssuerOp::Ensure)].into());
        assert_ok!(update(CONVENER, one(schema(2), SchemaOp::Ensure(super::super::issuers(ops)))));
        assert_eq!(events(), [schema_added(schema(2)), issuer_came(schema(2), did(2)), versioned(2)]);
    });
}

#[test]
fn discard_removes_a_schema_and_never_refuses_a_missing_one() {
    with_registry(|| {
        add(schema(1), metadata(&[], &[]));
        let discard = || one(schema(1), SchemaOp::Discard);
        assert_ok!(update(CONVENER, discard()));
        assert_eq!(events(), [schema_removed(schema(1)), versioned(2)]);
        assert_ok!(update(CONVENER, discard()));
        assert_eq!(events(), []);
    });
}

#[test]
fn set_of_all_schemas_removes_the_others_in_key_order() {
    with_registry(|| {
        add(schema(1), metadata(&[did(2)], &[]));
        add(schema(3), metadata(&[did(2)], &[]));
        let schemas = BTreeMap::from([(schema(2), metadata(&[], &[])), (schema(3), metadata(&[did(2)], &[did(3)]))]);
        assert_ok!(update_at(CONVENER, SchemasUpdate::Set(schemas), Some(2)));
        assert_eq!(
            events(),
            [
                issuer_left(schema(1), did(2)),
                schema_removed(schema(1)),
                schema_added(schema(2)),
                verifier_changed(schema(3), did(3), true),
                versioned(3),
            ]
        );
        assert_ok!(update_at(CONVENER, SchemasUpdate::Set(BTreeMap::new()), Some(3)));
        let gone = [issuer_left(schema(3), did(2)), verifier_changed(schema(3), did(3), false)];
        let expected = [vec![schema_removed(schema(2))], gone.to_vec(), vec![schema_removed(schema(3)), versioned(4)]];
        assert_eq!(events(), expected.concat());
    });
}

#[test]
fn one_refusal_refuses_the_whole_update() {
    with_registry(|| {
        let ops = [(schema(1), SchemaOp::Add(metadata(&[did(2)], &[]))), (schema(2), SchemaOp::Remove)];
        assert_noop!(update(CONVENER, SchemasUpdate::Modify(ops.into())), Error::<Test>::NotFound);
    });
}
