use pallet_did::{DidId, DidState};

use crate::{limits::MAX_READS, tests::*, *};

use super::*;

const S: H256 = schema(1);

fn issues(did: Did) -> Authorization {
    Pallet::<Test>::authorized(REGISTRY, S, did, Role::Issuer).expect("an answer")
}

fn verifies(did: Did) -> Authorization {
    Pallet::<Test>::authorized(REGISTRY, S, did, Role::Verifier).expect("an answer")
}

fn suspend(issuers: &[Did]) {
    let issuers = issuers.iter().cloned().collect();
    assert_eq!(act(CONVENER, Call::suspend_issuers { registry_id: REGISTRY, issuers }), Ok(()));
}

/// A DID of the ledger that tests deactivate.
const LEFT: Did = Did::Svc(DidId([3; 32]));

fn deactivate_left() {
    pallet_did::Dids::<Test>::insert(DidId([3; 32]), DidState::Deactivated);
}

#[test]
fn listed_dids_are_authorised_in_their_role_and_nobody_else() {
    with_registry(|| {
        add(S, metadata(&[did(2)], &[did(3)]));
        assert_eq!(issues(did(2)), Authorization::Direct);
        assert_eq!(verifies(did(3)), Authorization::Direct);
        assert_eq!(verifies(did(2)), Authorization::NotListed);
        assert_eq!(issues(did(3)), Authorization::NotListed);
        assert_eq!(issues(CONVENER), Authorization::NotListed);
        // A DID that was never registered may be listed all the same.
        add(schema(2), metadata(&[LEFT], &[]));
        let answer = Pallet::<Test>::authorized(REGISTRY, schema(2), LEFT, Role::Issuer);
        assert_eq!(answer, Ok(Authorization::Direct));
    });
}

#[test]
fn anyone_verifies_a_public_schema_and_nobody_issues_it_for_that() {
    with_registry(|| {
        add(S, public(&[did(2)]));
        assert_eq!(verifies(did(8)), Authorization::PublicSchema);
        assert_eq!(issues(did(8)), Authorization::NotListed);
        suspend(&[did(2)]);
        assert_eq!(verifies(did(2)), Authorization::Suspended);
    });
}

#[test]
fn a_registry_or_schema_that_is_not_there_comes_before_all_else() {
    with_registry(|| {
        add(S, metadata(&[did(2)], &[]));
        suspend(&[did(2)]);
        let ask = |registry_id, schema_id| Pallet::<Test>::authorized(registry_id, schema_id, did(2), Role::Issuer);
        assert_eq!(ask(OTHER, S), Ok(Authorization::UnknownRegistry));
        assert_eq!(ask(REGISTRY, schema(2)), Ok(Authorization::UnknownSchema));
        assert_eq!(update(CONVENER, one(S, SchemaOp::Remove)), Ok(()));
        assert_eq!(ask(REGISTRY, S), Ok(Authorization::UnknownSchema));
        assert_eq!(act(CONVENER, Call::remove_trust_registry { registry_id: REGISTRY }), Ok(()));
        assert_eq!(ask(REGISTRY, S), Ok(Authorization::UnknownRegistry));
    });
}

#[test]
fn a_deactivated_or_suspended_did_is_authorised_on_no_path_and_deactivated_is_said_first() {
    with_registry(|| {
        add(S, metadata(&[LEFT, did(2)], &[LEFT]));
        delegate(did(2), &[LEFT]);
        suspend(&[LEFT]);
        assert_eq!((issues(LEFT), verifies(LEFT)), (Authorization::Suspended, Authorization::Suspended));
        deactivate_left();
        assert_eq!((issues(LEFT), verifies(LEFT)), (Authorization::Deactivated, Authorization::Deactivated));
        assert_eq!(issues(did(2)), Authorization::Direct);
    });
}

#[test]
fn a_delegate_issues_through_the_lowest_issuer_that_is_free_to() {
    with_registry(|| {
        add(S, metadata(&[LEFT, did(2), did(4)], &[]));
        add(schema(2), metadata(&[did(3)], &[]));
        pallet_did::Dids::<Test>::insert(DidId([3; 32]), DidState::Active(Default::default()));
        for issuer in [did(3), did(4), did(2), LEFT] {
            delegate(issuer, &[did(5)]);
        }
        assert_eq!(issues(did(5)), Authorization::Delegated { via: LEFT });
        deactivate_left();
        assert_eq!(issues(did(5)), Authorization::Delegated { via: did(2) });
        suspend(&[did(2)]);
        assert_eq!(issues(did(5)), Authorization::Delegated { via: did(4) });
        suspend(&[did(4)]);
        assert_eq!(issues(did(5)), Authorization::DelegatorSuspended);
        // A delegation by an issuer of another schema has no effect here.
        assert_eq!(
            update(CONVENER, one(S, SchemaOp::Set(metadata(&[], &[])))),
            Err(Error::<Test>::VersionRequired.into())
        );
        assert_eq!(update_at(CONVENER, one(S, SchemaOp::Set(metadata(&[], &[]))), Some(version())), Ok(()));
        assert_eq!(issues(did(5)), Authorization::NotListed);
        let there = Pallet::<Test>::authorized(REGISTRY, schema(2), did(5), Role::Issuer);
        assert_eq!(there, Ok(Authorization::Delegated { via: did(3) }));
    });
}

#[test]
fn a_delegate_delegates_no_further_and_verifies_nothing_by_it() {
    with_registry(|| {
        add(S, metadata(&[did(2)], &[did(2)]));
        delegate(did(2), &[did(5)]);
        let delegated = DelegatedUpdate::Set([did(6)].into());
        let call = Call::update_delegated_issuers { registry_id: REGISTRY, delegated };
        assert_eq!(act(did(5), call), Err(Error::<Test>::NotAuthorized.into()));
        assert_eq!(issues(did(6)), Authorization::NotListed);
        assert_eq!(verifies(did(5)), Authorization::NotListed);
    });
}

#[test]
fn of_one_to_whom_too_many_delegate_it_is_not_said_rather_than_guessed() {
    with_registry(|| {
        add(S, metadata(&[], &[]));
        // Each delegator takes two reads: the delegation and its entry in the schema.
        for number in 0..MAX_READS / 2 {
            Delegations::<Test>::insert((did(5), REGISTRY, numbered(number)), ());
        }
        assert_eq!(issues(did(5)), Authorization::NotListed);
        Delegations::<Test>::insert((did(5), REGISTRY, did(6)), ());
        let answer = Pallet::<Test>::authorized(REGISTRY, S, did(5), Role::Issuer);
        assert_eq!(answer, Err(QueryError::TooManyReads));
        let _ = Delegations::<Test>::clear(u32::MAX, None);
    });
}
