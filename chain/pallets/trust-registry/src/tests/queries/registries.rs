use crate::{limits::*, tests::*, *};

use super::*;

fn ids(filter: Filter) -> Result<Page<H256>, QueryError> {
    Pallet::<Test>::registries_ids(filter, None)
}

#[test]
fn a_filter_without_a_field_or_with_one_that_names_nothing_finds_nothing() {
    with_registry(|| {
        add(schema(1), metadata(&[did(2)], &[did(3)]));
        assert_eq!(ids(Filter::default()), all([]));
        assert_eq!(ids(Filter { verifiers: any_of(&[]), ..of_issuers(&[did(2)]) }), all([]));
        assert_eq!(ids(Filter { schema_ids: any_of(&[]), ..of_issuers(&[did(2)]) }), all([]));
        assert_eq!(ids(of_issuers(&[])), all([]));
        assert_eq!(Pallet::<Test>::registries_info(Filter::default(), None), all([]));
    });
}

#[test]
fn a_field_matches_by_any_of_its_ids_and_unknown_ones_match_nothing() {
    with_registry(|| {
        other_registry(OTHER);
        add(schema(1), metadata(&[did(2)], &[did(3)]));
        add_to(OTHER, schema(2), metadata(&[did(4)], &[]));
        assert_eq!(ids(of_issuers(&[did(2), did(4), did(8)])), all([REGISTRY, OTHER]));
        assert_eq!(ids(of_issuers(&[did(3), did(4)])), all([OTHER]));
        assert_eq!(ids(of_verifiers(&[did(2), did(3)])), all([REGISTRY]));
        assert_eq!(ids(of_either(&[did(3), did(4)])), all([REGISTRY, OTHER]));
        assert_eq!(ids(of_schemas(&[schema(1), schema(2), schema(8)])), all([REGISTRY, OTHER]));
        assert_eq!(ids(of_schemas(&[schema(8)])), all([]));
    });
}

#[test]
fn fields_combine_by_intersection_and_need_not_meet_on_one_schema() {
    with_registry(|| {
        other_registry(OTHER);
        add(schema(1), metadata(&[did(2)], &[]));
        add(schema(2), metadata(&[], &[did(3)]));
        add_to(OTHER, schema(1), metadata(&[did(2)], &[]));
        let both = Filter { verifiers: any_of(&[did(3)]), ..of_issuers(&[did(2)]) };
        assert_eq!(ids(both.clone()), all([REGISTRY]));
        assert_eq!(ids(Filter { schema_ids: any_of(&[schema(2)]), ..of_issuers(&[did(2)]) }), all([REGISTRY]));
        assert_eq!(ids(Filter { schema_ids: any_of(&[schema(3)]), ..both }), all([]));
    });
}

#[test]
fn issuers_are_also_those_to_whom_is_delegated_and_a_suspension_hides_nothing() {
    with_registry(|| {
        add(schema(1), metadata(&[did(2)], &[]));
        delegate(did(2), &[did(5)]);
        let suspended = [did(2), did(5)].into();
        assert_eq!(act(CONVENER, Call::suspend_issuers { registry_id: REGISTRY, issuers: suspended }), Ok(()));
        assert_eq!(ids(of_issuers(&[did(5)])), all([REGISTRY]));
        assert_eq!(ids(of_either(&[did(5)])), all([REGISTRY]));
        assert_eq!(ids(of_verifiers(&[did(5)])), all([]));
        assert_eq!(Pallet::<Test>::issuers_trust_registries(did(5), None), all([REGISTRY]));
        assert_eq!(Pallet::<Test>::issuers_trust_registries(did(2), None), all([REGISTRY]));
    });
}

#[test]
fn verifiers_are_those_that_are_listed_and_never_anyone_of_a_public_schema() {
    with_registry(|| {
        add(schema(1), public(&[did(2)]));
        add(schema(2), metadata(&[did(2)], &[did(3)]));
        assert_eq!(ids(of_verifiers(&[did(2), did(4)])), all([]));
        assert_eq!(Pallet::<Test>::verifiers_trust_registries(did(4), None), all([]));
        assert_eq!(Pallet::<Test>::verifiers_trust_registries(did(3), None), all([REGISTRY]));
    });
}

#[test]
fn info_tells_what_the_dids_of_the_filter_are_in_the_roles_it_asks_for() {
    with_registry(|| {
        add(schema(1), metadata(&[did(2), did(4)], &[did(2), did(3)]));
        delegate(did(2), &[did(4)]);
        let issuers = [did(4)].into();
        assert_eq!(act(CONVENER, Call::suspend_issuers { registry_id: REGISTRY, issuers }), Ok(()));
        let info = |matches: Vec<Participation>| RegistryInfo {
            id: REGISTRY,
            convener: CONVENER,
            name: b"Universities".to_vec().try_into().expect("a short name"),
            gov_framework: b"https://example.org".to_vec().try_into().expect("a short text"),
            version: 1,
            matches,
        };
        let is = |did, role, delegated_by: &[Did], suspended| {
            let delegated_by = delegated_by.to_vec();
            Participation { did, role, direct: true, delegated_by, suspended }
        };
        let asked = |filter| Pallet::<Test>::registries_info(filter, None);
        let as_issuers = vec![is(did(2), Role::Issuer, &[], false), is(did(4), Role::Issuer, &[did(2)], true)];
        assert_eq!(asked(of_issuers(&[did(2), did(3), did(4)])), all([info(as_issuers)]));
        let as_either = vec![is(did(2), Role::Issuer, &[], false), is(did(2), Role::Verifier, &[], false)];
        assert_eq!(asked(of_either(&[did(2)])), all([info(as_either)]));
        assert_eq!(asked(of_schemas(&[schema(1)])), all([info(vec![])]));
        let only = Filter { schema_ids: any_of(&[schema(1)]), ..of_verifiers(&[did(3)]) };
        assert_eq!(asked(only), all([info(vec![is(did(3), Role::Verifier, &[], false)])]));
    });
}

#[test]
fn of_a_mere_delegate_info_tells_that_it_is_not_listed_itself() {
    with_registry(|| {
        add(schema(1), metadata(&[did(2), did(3)], &[]));
        delegate(did(3), &[did(5)]);
        delegate(did(2), &[did(5)]);
        let found = Pallet::<Test>::registries_info(of_issuers(&[did(5)]), None).expect("an answer");
        let [info] = found.list.as_slice() else { panic!("one registry") };
        let delegated_by = vec![did(2), did(3)];
        let expected = Participation { did: did(5), role: Role::Issuer, direct: false, delegated_by, suspended: false };
        assert_eq!(info.matches, [expected]);
    });
}

#[test]
fn pages_are_sorted_and_begin_after_the_cursor() {
    ledger(|| {
        let id = |number: u32| {
            let mut bytes = [0; 32];
            bytes[..4].copy_from_slice(&number.to_be_bytes());
            H256(bytes)
        };
        for number in (1..=MAX_IDS + 1).rev() {
            other_registry(id(number));
            add_to(id(number), schema(1), metadata(&[did(2)], &[]));
        }
        let page = Pallet::<Test>::issuers_trust_registries(did(2), None).expect("a page");
        assert_eq!(page.list, (1..=MAX_IDS).map(id).collect::<Vec<_>>());
        assert_eq!(page.next, Some(id(MAX_IDS)));
        assert_eq!(Pallet::<Test>::issuers_trust_registries(did(2), page.next), all([id(MAX_IDS + 1)]));
        assert_eq!(Pallet::<Test>::issuers_trust_registries(did(2), Some(id(1))).expect("a page").next, None);
        assert_eq!(Pallet::<Test>::issuers_trust_registries(did(2), Some(id(MAX_IDS + 1))), all([]));
        let infos = Pallet::<Test>::registries_info(of_schemas(&[schema(1)]), Some(id(1))).expect("a page");
        let found: Vec<_> = infos.list.into_iter().map(|info| info.id).collect();
        assert_eq!((found, infos.next), ((2..=MAX_INFOS + 1).map(id).collect(), Some(id(MAX_INFOS + 1))));
    });
}

#[test]
fn a_question_that_reads_too_much_is_refused_and_one_that_reads_as_much_as_allowed_is_answered() {
    with_registry(|| {
        // The reads are one entry in each schema and the standing in the one registry.
        list_often(did(2), MAX_READS as u16 - 1);
        assert_eq!(ids(of_issuers(&[did(2)])), all([REGISTRY]));
        add(schema(1), metadata(&[did(2)], &[]));
        assert_eq!(ids(of_issuers(&[did(2)])), Err(QueryError::TooManyReads));
        assert_eq!(ids(of_issuers(&[did(3)])), all([]));
    });
}
