//! Tests of the queries.

mod authorized;
mod preview_schemas_metadata;
mod registries;
mod schemas;

use super::*;

/// A second registry.
pub const OTHER: H256 = H256([2; 32]);

/// One field of a filter.
pub fn any_of<Id: Clone + Ord>(ids: &[Id]) -> Option<FilterBy<Id>> {
    let ids: std::collections::BTreeSet<Id> = ids.iter().cloned().collect();
    Some(FilterBy::AnyOf(ids.try_into().expect("at most 64")))
}

/// A filter of issuers.
pub fn of_issuers(dids: &[Did]) -> Filter {
    Filter { issuers: any_of(dids), ..Filter::default() }
}

/// A filter of verifiers.
pub fn of_verifiers(dids: &[Did]) -> Filter {
    Filter { verifiers: any_of(dids), ..Filter::default() }
}

/// A filter of DIDs in either role.
pub fn of_either(dids: &[Did]) -> Filter {
    Filter { issuers_or_verifiers: any_of(dids), ..Filter::default() }
}

/// A filter of schemas.
pub fn of_schemas(ids: &[H256]) -> Filter {
    Filter { schema_ids: any_of(ids), ..Filter::default() }
}

/// Creates a registry of another convener.
pub fn other_registry(registry_id: H256) {
    let call = Call::init_or_update_trust_registry { registry_id, name: b"Others".to_vec(), gov_framework: vec![] };
    assert_eq!(act(did(9), call), Ok(()));
}

/// Adds a schema to a registry of the other convener.
pub fn add_to(registry_id: H256, schema_id: H256, metadata: Metadata) {
    let update = one(schema_id, SchemaOp::Add(metadata));
    assert_eq!(act(did(9), Call::set_schemas_metadata { registry_id, update, expected_version: None }), Ok(()));
}

/// Adds schemas with one issuer until the ledger holds this many entries of it.
pub fn list_often(issuer: Did, times: u16) {
    let id = |number: u16| {
        let mut id = [7; 32];
        id[..2].copy_from_slice(&number.to_be_bytes());
        H256(id)
    };
    let all: Vec<_> = (0..times).collect();
    for part in all.chunks(500) {
        let op = |number: &u16| (id(*number), SchemaOp::Add(metadata(&[issuer.clone()], &[])));
        assert_eq!(update(CONVENER, SchemasUpdate::Modify(part.iter().map(op).collect())), Ok(()));
        events();
    }
}

/// A page that is the last.
pub fn all<Item>(list: impl Into<Vec<Item>>) -> Result<Page<Item>, QueryError> {
    Ok(Page { list: list.into(), next: None })
}
