use crate::{limits::*, tests::*, *};

use super::*;

fn ids(filter: Filter) -> Result<Page<H256>, QueryError> {
    Pallet::<Test>::registry_schema_ids(filter, REGISTRY, None)
}

#[test]
fn a_filter_without_a_field_or_with_one_that_names_nothing_finds_nothing() {
    with_registry(|| {
        add(schema(1), metadata(&[did(2)], &[]));
        assert_eq!(ids(Filter::default()), all([]));
        assert_eq!(ids(Filter { verifiers: any_of(&[]), ..of_issuers(&[did(2)]) }), all([]));
        assert_eq!(Pallet::<Test>::registry_schemas_metadata(Filter::default(), REGISTRY, None), all([]));
    });
}

#[test]
fn inside_a_registry_fields_meet_on_the_same_schema() {
    with_registry(|| {
        add(schema(1), metadata(&[did(2)], &[]));
        add(schema(2), metadata(&[], &[did(3)]));
        add(schema(3), metadata(&[did(2)], &[did(3), did(4)]));
        let both = Filter { verifiers: any_of(&[did(3)]), ..of_issuers(&[did(2)]) };
        assert_eq!(ids(both.clone()), all([schema(3)]));
        assert_eq!(ids(Filter { schema_ids: any_of(&[schema(1), schema(2)]), ..both }), all([]));
        assert_eq!(ids(of_either(&[did(2), did(3)])), all([schema(1), schema(2), schema(3)]));
        assert_eq!(ids(of_schemas(&[schema(3), schema(8), schema(1)])), all([schema(1), schema(3)]));
        assert_eq!(ids(Filter { schema_ids: any_of(&[schema(1)]), ..of_issuers(&[did(2)]) }), all([schema(1)]));
    });
}

#[test]
fn a_delegate_issues_the_schemas_of_the_issuers_that_delegate_to_it_and_no_others() {
    with_registry(|| {
        add(schema(1), metadata(&[did(2)], &[]));
        add(schema(2), metadata(&[did(3)], &[did(2)]));
        delegate(did(2), &[did(5)]);
        assert_eq!(ids(of_issuers(&[did(5)])), all([schema(1)]));
        assert_eq!(Pallet::<Test>::trust_registry_issuer_schemas(REGISTRY, did(5), None), all([schema(1)]));
        assert_eq!(Pallet::<Test>::trust_registry_verifier_schemas(REGISTRY, did(2), None), all([schema(2)]));
        assert_eq!(Pallet::<Test>::trust_registry_verifier_schemas(REGISTRY, did(5), None), all([]));
    });
}

#[test]
fn a_public_schema_matches_no_verifier_and_another_registry_matches_nothing() {
    with_registry(|| {
        other_registry(OTHER);
        add(schema(1), public(&[did(2)]));
        assert_eq!(ids(of_verifiers(&[did(2), did(3)])), all([]));
        let elsewhere = Pallet::<Test>::registry_schema_ids(of_issuers(&[did(2)]), OTHER, None);
        assert_eq!(elsewhere, all([]));
        assert_eq!(Pallet::<Test>::registry_schema_ids(of_schemas(&[schema(1)]), H256([8; 32]), None), all([]));
    });
}

#[test]
fn metadata_names_everybody_with_prices_delegators_and_suspensions() {
    with_registry(|| {
        let issuers = [(did(2), prices(&[("EUR", 5)])), (did(3), prices(&[]))].into();
        add(schema(1), Metadata { issuers, verifiers: Some([did(3), did(4)].into()) });
        add(schema(2), metadata(&[did(6)], &[]));
        delegate(did(2), &[did(3), did(5)]);
        delegate(did(3), &[did(5)]);
        delegate(did(6), &[did(7)]);
        let suspended = [did(3), did(5)].into();
        assert_eq!(act(CONVENER, Call::suspend_issuers { registry_id: REGISTRY, issuers: suspended }), Ok(()));
        let issuer = |did, prices, delegated_by: &[Did], suspended| {
            let delegated_by = delegated_by.to_vec();
            IssuerInfo { did, prices, delegated_by, suspended }
        };
        let expected = SchemaMetadata {
            id: schema(1),
            public: false,
            issuers: vec![
                issuer(did(2), Some(stored_prices(&[("EUR", 5)])), &[], false),
                issuer(did(3), Some(stored_prices(&[])), &[did(2)], true),
                issuer(did(5), None, &[did(2), did(3)], true),
            ],
            verifiers: vec![
                VerifierInfo { did: did(3), suspended: true },
                VerifierInfo { did: did(4), suspended: false },
            ],
        };
        let found = Pallet::<Test>::registry_schemas_metadata(of_schemas(&[schema(1)]), REGISTRY, None);
        assert_eq!(found, all([expected]));
        add(schema(3), public(&[]));
        let open = Pallet::<Test>::registry_schemas_metadata(of_schemas(&[schema(3)]), REGISTRY, None);
        let expected = SchemaMetadata { id: schema(3), public: true, issuers: vec![], verifiers: vec![] };
        assert_eq!(open, all([expected]));
    });
}

#[test]
fn pages_are_sorted_and_begin_after_the_cursor() {
    with_registry(|| {
        list_often(did(2), MAX_IDS as u16 + 1);
        let page = Pallet::<Test>::trust_registry_issuer_schemas(REGISTRY, did(2), None).expect("a page");
        assert!(page.list.is_sorted());
        assert_eq!((page.list.len(), page.next), (MAX_IDS as usize, page.list.last().copied()));
        let rest = Pallet::<Test>::trust_registry_issuer_schemas(REGISTRY, did(2), page.next).expect("a page");
        assert_eq!((rest.list.len(), rest.next), (1, None));
        assert!(page.list.last() < rest.list.first());
        let told = Pallet::<Test>::registry_schemas_metadata(of_issuers(&[did(2)]), REGISTRY, None).expect("a page");
        let found: Vec<_> = told.list.into_iter().map(|metadata| metadata.id).collect();
        assert_eq!((found.as_slice(), told.next), (&page.list[..MAX_METADATA as usize], found.last().copied()));
    });
}

#[test]
fn a_page_of_metadata_ends_before_the_schema_that_is_too_much_to_read() {
    with_registry(|| {
        // An entry and its standing are two reads, so at most 5,000 participants can be read.
        let all: Vec<_> = (0..MAX_READS / 2).map(numbered).collect();
        for part in all.chunks(900) {
            let ops = part.iter().map(|did| (did.clone(), VerifierOp::Ensure)).collect();
            let ensured = SchemaOp::Ensure(verifiers(VerifiersUpdate::Modify(ops)));
            assert_eq!(update(CONVENER, one(schema(2), ensured)), Ok(()));
        }
        let asked = || {
            let both = of_schemas(&[schema(1), schema(2)]);
            Pallet::<Test>::registry_schemas_metadata(both, REGISTRY, None)
        };
        assert_eq!(asked().expect("a page").list[0].verifiers.len(), (MAX_READS / 2) as usize);
        add(schema(1), metadata(&[did(2)], &[]));
        let page = asked().expect("a page");
        assert_eq!((page.list.len(), page.next), (1, Some(schema(1))));
        let rest = Pallet::<Test>::registry_schemas_metadata(of_schemas(&[schema(1), schema(2)]), REGISTRY, page.next);
        assert_eq!(rest.expect("a page").list[0].id, schema(2));
        assert_eq!(update(CONVENER, verifier(schema(2), did(9), VerifierOp::Add)), Ok(()));
        assert_eq!(
            Pallet::<Test>::registry_schemas_metadata(of_schemas(&[schema(2)]), REGISTRY, None),
            Err(QueryError::TooManyReads)
        );
    });
}
