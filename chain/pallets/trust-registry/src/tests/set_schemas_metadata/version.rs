use frame_support::{assert_noop, assert_ok};

use crate::{tests::*, *};

const S: sp_core::H256 = schema(1);

#[test]
fn the_version_grows_by_one_with_each_changing_call_and_with_nothing_else() {
    with_registry(|| {
        add(S, metadata(&[did(2)], &[did(3)]));
        assert_eq!(version(), 1);
        assert_ok!(update(CONVENER, issuer(S, did(2), IssuerOp::Ensure)));
        assert_ok!(act(CONVENER, Call::suspend_issuers { registry_id: REGISTRY, issuers: [did(2)].into() }));
        assert_ok!(act(CONVENER, Call::unsuspend_issuers { registry_id: REGISTRY, issuers: [did(2)].into() }));
        delegate(did(2), &[did(5)]);
        assert_eq!(version(), 1);
        assert_ok!(update(CONVENER, one(S, SchemaOp::Remove)));
        assert_eq!(version(), 2);
    });
}

#[test]
fn whatever_replaces_a_collection_needs_the_version() {
    with_registry(|| {
        let sets = [
            SchemasUpdate::Set(Default::default()),
            one(S, SchemaOp::Set(metadata(&[], &[]))),
            one(S, SchemaOp::Ensure(issuers(IssuersUpdate::Set(Default::default())))),
            one(S, SchemaOp::Ensure(verifiers(VerifiersUpdate::Set(Default::default())))),
        ];
        for set in sets {
            assert_noop!(update(CONVENER, set.clone()), Error::<Test>::VersionRequired);
            assert_noop!(update_at(CONVENER, set.clone(), Some(version() + 1)), Error::<Test>::VersionMismatch);
            assert_ok!(update_at(CONVENER, set, Some(version())));
        }
    });
}

#[test]
fn a_version_is_checked_wherever_it_is_given() {
    with_registry(|| {
        let add = || one(S, SchemaOp::Add(metadata(&[], &[])));
        assert_noop!(update_at(CONVENER, add(), Some(1)), Error::<Test>::VersionMismatch);
        assert_ok!(update_at(CONVENER, add(), Some(0)));
        let set = IssuerOp::Set(prices(&[]));
        assert_ok!(update(CONVENER, issuer(S, did(2), set)));
    });
}
