//! Each invariant is broken once, and the check reports it.

use super::*;

const S: H256 = schema(1);

/// Result of the check on a ledger with one registry after a change of its storage. In its schema, one DID issues and
/// delegates to a second one, and a third one verifies.
fn broken(by: impl FnOnce()) -> Result<(), &'static str> {
    for_benchmarks().execute_with(|| {
        System::set_block_number(1);
        let (name, gov_framework) = (b"Universities".to_vec(), vec![]);
        let call = Call::init_or_update_trust_registry { registry_id: REGISTRY, name, gov_framework };
        assert_eq!(act(CONVENER, call), Ok(()));
        add(S, metadata(&[did(2)], &[did(4)]));
        delegate(did(2), &[did(3)]);
        assert_eq!(Pallet::<Test>::check_invariants(), Ok(()));
        by();
        Pallet::<Test>::check_invariants()
    })
}

fn change_registry(change: impl FnOnce(&mut Registry)) {
    let mut registry = Pallet::<Test>::registry(REGISTRY).expect("the registry");
    change(&mut registry);
    Registries::<Test>::insert(REGISTRY, RegistryState::Active(registry));
}

fn change_schema(change: impl FnOnce(&mut Schema)) {
    let mut schema = Schemas::<Test>::get(REGISTRY, S).expect("the schema");
    change(&mut schema);
    RegistriesBySchema::<Test>::insert(S, REGISTRY, schema.public);
    Schemas::<Test>::insert(REGISTRY, S, schema);
}

fn change_standing(did: Did, change: impl FnOnce(&mut Standing)) {
    let mut standing = Standings::<Test>::get(REGISTRY, &did);
    change(&mut standing);
    Standings::<Test>::insert(REGISTRY, did, standing);
}

#[test]
fn an_entry_has_its_reverse_a_role_and_a_schema() {
    let differ = Err("entries and entries by DID differ");
    assert_eq!(broken(|| EntriesByDid::<Test>::remove((did(2), REGISTRY, S))), differ);
    assert_eq!(broken(|| EntriesByDid::<Test>::insert((did(5), REGISTRY, S), ())), differ);
    let without_role = || Entries::<Test>::insert((REGISTRY, S, did(2)), Entry::default());
    assert_eq!(broken(without_role), Err("an entry without a role"));
    assert_eq!(broken(|| Schemas::<Test>::remove(REGISTRY, S)), Err("an entry of no schema"));
}

#[test]
fn schemas_by_registry_mirror_registries_by_schema_and_count_what_they_hold() {
    let differ = Err("schemas by registry and registries by schema differ");
    assert_eq!(broken(|| RegistriesBySchema::<Test>::remove(S, REGISTRY)), differ);
    assert_eq!(broken(|| RegistriesBySchema::<Test>::insert(S, REGISTRY, true)), differ);
    let counted = Err("stored counts of a schema differ from what it holds");
    assert_eq!(broken(|| change_schema(|schema| schema.issuers += 1)), counted);
    assert_eq!(broken(|| change_schema(|schema| schema.priced += 1)), counted);
    let removed = || Registries::<Test>::insert(REGISTRY, RegistryState::Removed);
    assert_eq!(broken(removed), Err("a schema of no registry"));
}

#[test]
fn a_public_schema_lists_no_verifier_and_has_no_price() {
    assert_eq!(broken(|| change_schema(|schema| schema.public = true)), Err("a public schema lists verifiers"));
    let priced = || {
        assert_eq!(update(CONVENER, verifier(S, did(4), VerifierOp::Remove)), Ok(()));
        assert_eq!(update(CONVENER, issuer(S, did(2), IssuerOp::Set(prices(&[("EUR", 1)])))), Ok(()));
        change_schema(|schema| schema.public = true);
    };
    assert_eq!(broken(priced), Err("a public schema has a price"));
}

#[test]
fn standings_count_schemas_and_mirror_delegations() {
    let other = Err("a standing counts other schemas");
    assert_eq!(broken(|| change_standing(did(2), |standing| standing.issuer_schemas += 1)), other);
    assert_eq!(broken(|| change_standing(did(5), |standing| standing.verifier_schemas += 1)), other);
    assert_eq!(broken(|| Standings::<Test>::remove(REGISTRY, did(4))), Err("a participant without a standing"));
    assert_eq!(broken(|| change_standing(did(5), |_| {})), Err("an empty standing"));
    let differ = Err("delegates in standings and delegations differ");
    assert_eq!(broken(|| Delegations::<Test>::remove((did(3), REGISTRY, did(2)))), differ);
    assert_eq!(broken(|| Delegations::<Test>::insert((did(5), REGISTRY, did(2)), ())), differ);
    let delegates = |of: Did, to: Did| {
        change_standing(of, |standing| assert_eq!(standing.delegates.try_insert(to), Ok(true)));
    };
    assert_eq!(broken(|| delegates(did(2), did(2))), Err("an issuer delegates to itself"));
    assert_eq!(broken(|| delegates(did(4), did(3))), Err("a delegator issues nothing"));
}

#[test]
fn registries_count_what_they_hold_and_conveners_what_they_convene() {
    let counted = Err("stored counts of a registry differ from what it holds");
    assert_eq!(broken(|| change_registry(|registry| registry.entries += 1)), counted);
    assert_eq!(broken(|| change_registry(|registry| registry.issuers -= 1)), counted);
    assert_eq!(broken(|| Convened::<Test>::insert(CONVENER, 2)), Err("counts of convened registries differ"));
    assert_eq!(broken(|| Proposals::<Test>::insert(schema(9), did(2))), Err("an offer of no registry"));
    let nobody = || change_registry(|registry| registry.convener = Did::Svc(pallet_did::DidId([9; 32])));
    assert_eq!(broken(nobody), Err("a convener is deactivated"));
}
