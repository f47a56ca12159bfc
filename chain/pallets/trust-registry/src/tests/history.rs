//! Random histories of one registry. DIDs, schemas and currencies are few, so that they meet often.

use std::collections::BTreeMap;

use proptest::{collection::btree_map, collection::btree_set, option, prelude::*};

use super::*;

/// One call by one DID.
#[derive(Clone, Debug)]
pub struct Act {
    /// The DID that acts.
    pub actor: Did,
    /// The call that it makes.
    pub deed: Deed,
}

/// A call of the registry.
#[derive(Clone, Debug)]
pub enum Deed {
    /// `set_schemas_metadata`, at a version that is the registry's plus a difference.
    Update(SchemasUpdate, Option<i8>),
    /// `update_delegated_issuers`.
    Delegate(DelegatedUpdate),
    /// `suspend_issuers` or `suspend_verifiers`.
    Suspend(Role, Vec<Did>),
    /// `unsuspend_issuers` or `unsuspend_verifiers`.
    Unsuspend(Role, Vec<Did>),
    /// `init_or_update_trust_registry`, with a name.
    Name(&'static str),
    /// `transfer_trust_registry`.
    Offer(Did),
    /// `accept_trust_registry`.
    Accept,
    /// `transfer_trust_registry` by root. The actor does not matter.
    HandOver(Did),
    /// `remove_trust_registry`.
    Remove,
}

/// The role in which a DID is suspended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Role {
    /// As an issuer or a delegate.
    Issuer,
    /// As a verifier.
    Verifier,
}

/// A history that starts with a registry in which there is something to change.
pub fn histories() -> impl Clone + Strategy<Value = Vec<Act>> {
    let by = |actor, deed| Act { actor, deed };
    let priced = [(did(2), prices(&[("EUR", 1)])), (did(3), prices(&[]))].into();
    let schemas = BTreeMap::from([
        (schema(1), Metadata { issuers: priced, verifiers: Some([did(3), did(4)].into()) }),
        (schema(2), public(&[did(2)])),
    ]);
    let start = [
        by(CONVENER, Deed::Name("Universities")),
        by(CONVENER, Deed::Update(SchemasUpdate::Set(schemas), Some(0))),
        by(did(2), Deed::Delegate(DelegatedUpdate::Set([did(5)].into()))),
    ];
    proptest::collection::vec(acts(), 1..12).prop_map(move |acts| [start.to_vec(), acts].concat())
}

/// Mostly one entry, so that no other part of an update is the reason to refuse it; sometimes two, rarely none.
fn few<K: Clone + std::fmt::Debug + Ord, V: Clone + std::fmt::Debug>(
    keys: impl Clone + Strategy<Value = K>,
    values: impl Clone + Strategy<Value = V>,
) -> impl Clone + Strategy<Value = BTreeMap<K, V>> {
    prop_oneof![
        40 => btree_map(keys.clone(), values.clone(), 1),
        8 => btree_map(keys, values, 2),
        1 => Just(BTreeMap::new()),
    ]
}

fn acts() -> impl Clone + Strategy<Value = Act> {
    let actor = prop_oneof![3 => Just(CONVENER), 2 => dids()];
    (actor, deeds()).prop_map(|(actor, deed)| Act { actor, deed })
}

fn deeds() -> impl Clone + Strategy<Value = Deed> {
    let versions = prop_oneof![20 => Just(Some(0)), 6 => Just(None), 1 => Just(Some(1)), 1 => Just(Some(-1))];
    let some_dids = || prop_oneof![6 => proptest::collection::vec(dids(), 1..3), 1 => Just(vec![])];
    let roles = || prop_oneof![Just(Role::Issuer), Just(Role::Verifier)];
    prop_oneof![
        6 => (updates(), versions).prop_map(|(update, version)| Deed::Update(update, version)),
        2 => delegations().prop_map(Deed::Delegate),
        1 => (roles(), some_dids()).prop_map(|(role, dids)| Deed::Suspend(role, dids)),
        1 => (roles(), some_dids()).prop_map(|(role, dids)| Deed::Unsuspend(role, dids)),
        1 => chairs(),
    ]
}

/// Calls that concern the registry itself. One of the DIDs cannot act.
fn chairs() -> impl Clone + Strategy<Value = Deed> {
    let conveners = || prop_oneof![8 => (1u8..3).prop_map(did), 1 => Just(Did::Svc(pallet_did::DidId([9; 32])))];
    prop_oneof![
        2 => prop_oneof![Just("Universities"), Just("Schools")].prop_map(Deed::Name),
        4 => conveners().prop_map(Deed::Offer),
        4 => Just(Deed::Accept),
        2 => conveners().prop_map(Deed::HandOver),
        1 => Just(Deed::Remove),
    ]
}

/// Five DIDs. The first one convenes.
pub fn dids() -> impl Clone + Strategy<Value = Did> {
    (1u8..6).prop_map(did)
}

/// Two schemas.
pub fn schemas() -> impl Clone + Strategy<Value = H256> {
    (1u8..3).prop_map(schema)
}

fn symbols() -> impl Clone + Strategy<Value = Vec<u8>> {
    prop_oneof![20 => Just(b"EUR".to_vec()), 20 => Just(b"USD".to_vec()), 1 => Just(b"eur".to_vec())]
}

fn price_lists() -> impl Clone + Strategy<Value = PricesInput> {
    prop_oneof![Just(PricesInput::new()), btree_map(symbols(), 0u128..2, 0..3)]
}

fn all_metadata() -> impl Clone + Strategy<Value = Metadata> {
    let verifiers = option::of(btree_set(dids(), 0..3));
    (few(dids(), price_lists()), verifiers).prop_map(|(issuers, verifiers)| Metadata { issuers, verifiers })
}

/// Updates of schemas.
pub fn updates() -> impl Clone + Strategy<Value = SchemasUpdate> {
    prop_oneof![
        1 => few(schemas(), all_metadata()).prop_map(SchemasUpdate::Set),
        9 => few(schemas(), schema_ops()).prop_map(SchemasUpdate::Modify),
    ]
}

fn schema_ops() -> impl Clone + Strategy<Value = SchemaOp> {
    prop_oneof![
        2 => all_metadata().prop_map(SchemaOp::Set),
        2 => all_metadata().prop_map(SchemaOp::Add),
        1 => Just(SchemaOp::Remove),
        10 => participants().prop_map(SchemaOp::Modify),
        2 => participants().prop_map(SchemaOp::Ensure),
        1 => Just(SchemaOp::Discard),
    ]
}

fn participants() -> impl Clone + Strategy<Value = MetadataUpdate> {
    let issuers = prop_oneof![
        1 => few(dids(), price_lists()).prop_map(IssuersUpdate::Set),
        6 => few(dids(), issuer_ops()).prop_map(IssuersUpdate::Modify),
    ];
    let verifiers = prop_oneof![
        1 => btree_set(dids(), 0..3).prop_map(VerifiersUpdate::Set),
        4 => few(dids(), verifier_ops()).prop_map(VerifiersUpdate::Modify),
    ];
    (option::weighted(0.7, issuers), option::weighted(0.5, verifiers))
        .prop_map(|(issuers, verifiers)| MetadataUpdate { issuers, verifiers })
}

/// Changes of one issuer.
pub fn issuer_ops() -> impl Clone + Strategy<Value = IssuerOp> {
    let price_ops = prop_oneof![
        2 => (0u128..2).prop_map(PriceOp::Set),
        1 => (0u128..2).prop_map(PriceOp::Add),
        1 => Just(PriceOp::Remove),
    ];
    prop_oneof![
        price_lists().prop_map(IssuerOp::Set),
        price_lists().prop_map(IssuerOp::Add),
        Just(IssuerOp::Remove),
        few(symbols(), price_ops).prop_map(IssuerOp::Modify),
        Just(IssuerOp::Ensure),
        Just(IssuerOp::Discard),
    ]
}

/// Changes of one verifier.
pub fn verifier_ops() -> impl Clone + Strategy<Value = VerifierOp> {
    prop_oneof![Just(VerifierOp::Add), Just(VerifierOp::Remove), Just(VerifierOp::Ensure), Just(VerifierOp::Discard)]
}

fn delegations() -> impl Clone + Strategy<Value = DelegatedUpdate> {
    let ops = prop_oneof![Just(DelegateOp::Add), Just(DelegateOp::Remove)];
    prop_oneof![
        btree_set(dids(), 0..3).prop_map(DelegatedUpdate::Set),
        few(dids(), ops).prop_map(DelegatedUpdate::Modify),
    ]
}
