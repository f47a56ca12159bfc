//! Tests of the calls, one file for each, on a small runtime with the real DID pallet.

mod accept_trust_registry;
mod history;
mod init_or_update_trust_registry;
mod invariants;
mod limits;
mod model;
mod other_methods;
mod plain;
mod properties;
mod queries;
mod remove_trust_registry;
mod set_schemas_metadata;
mod suspend_issuers;
mod suspend_verifiers;
mod transfer_trust_registry;
mod unsuspend_issuers;
mod unsuspend_verifiers;
mod update_delegated_issuers;

use std::collections::BTreeMap;

use frame_support::{
    derive_impl,
    dispatch::{extract_actual_weight, GetDispatchInfo},
    traits::{ConstU64, Nothing},
};
use pallet_did::{ActiveDids, DeactivatedDids, Did, DidKey, DidOrigin, EnsureActor, EnsureController, Relationships};
use sp_core::H256;
use sp_runtime::{traits::Dispatchable, BuildStorage, DispatchResult};

use crate::*;

#[frame_support::runtime]
mod runtime {
    #[runtime::runtime]
    #[runtime::derive(RuntimeCall, RuntimeEvent, RuntimeError, RuntimeOrigin, RuntimeTask)]
    pub struct Test;

    #[runtime::pallet_index(0)]
    pub type System = frame_system;
    #[runtime::pallet_index(1)]
    pub type Timestamp = pallet_timestamp;
    #[runtime::pallet_index(10)]
    pub type Dids = pallet_did;
    #[runtime::pallet_index(11)]
    pub type TrustRegistry = crate;
}

type Block = frame_system::mocking::MockBlock<Test>;

#[derive_impl(frame_system::config_preludes::TestDefaultConfig)]
impl frame_system::Config for Test {
    type Block = Block;
}

impl pallet_timestamp::Config for Test {
    type Moment = u64;
    type OnTimestampSet = ();
    type MinimumPeriod = ConstU64<0>;
    type WeightInfo = ();
}

impl pallet_did::Config for Test {
    type RuntimeCall = RuntimeCall;
    type DidCalls = Nothing;
    type ControllerOrigin = EnsureController<Test>;
    type Conveners = Conveners<Test>;
    type Time = Timestamp;
    type WeightInfo = pallet_did::Measured<Test>;
}

impl Config for Test {
    type ActorOrigin = EnsureActor<Test>;
    type ActiveDids = ActiveDids<Test>;
    type DeactivatedDids = DeactivatedDids<Test>;
    type WeightInfo = Measured<Test>;
}

/// The registry of most tests.
pub const REGISTRY: H256 = H256([1; 32]);
/// Its convener.
pub const CONVENER: Did = did(1);

/// A DID that can act.
pub const fn did(number: u8) -> Did {
    Did::Key(DidKey::Ed25519([number; 32]))
}

/// One of many DIDs that can act.
pub fn numbered(number: u32) -> Did {
    let mut key = [0; 32];
    key[..4].copy_from_slice(&number.to_be_bytes());
    Did::Key(DidKey::Ed25519(key))
}

/// A schema.
pub const fn schema(number: u8) -> H256 {
    H256([number; 32])
}

/// Runs a test on an empty ledger and checks the invariants after it.
pub fn ledger(test: impl FnOnce()) {
    let storage = frame_system::GenesisConfig::<Test>::default().build_storage().expect("an empty genesis");
    sp_io::TestExternalities::new(storage).execute_with(|| {
        System::set_block_number(1);
        test();
        assert_eq!(Pallet::<Test>::check_invariants(), Ok(()));
    });
}

/// Runs a test on a ledger with one registry.
pub fn with_registry(test: impl FnOnce()) {
    ledger(|| {
        let call = Call::init_or_update_trust_registry {
            registry_id: REGISTRY,
            name: b"Universities".to_vec(),
            gov_framework: b"https://example.org".to_vec(),
        };
        assert_eq!(act(CONVENER, call), Ok(()));
        events();
        test();
    });
}

/// An empty ledger for benchmarks.
pub fn for_benchmarks() -> sp_io::TestExternalities {
    let storage = frame_system::GenesisConfig::<Test>::default().build_storage().expect("an empty genesis");
    sp_io::TestExternalities::new(storage)
}

/// The pallet's events since the last call of this function.
pub fn events() -> Vec<Event<Test>> {
    let records = System::events();
    System::reset_events();
    let event = |record: frame_system::EventRecord<RuntimeEvent, H256>| match record.event {
        RuntimeEvent::TrustRegistry(event) => Some(event),
        _ => None,
    };
    records.into_iter().filter_map(event).collect()
}

/// Makes a call as a DID, and checks that it is never heavier than declared.
pub fn act(actor: Did, call: Call<Test>) -> DispatchResult {
    let call = RuntimeCall::TrustRegistry(call);
    let info = call.get_dispatch_info();
    let result = call.dispatch(DidOrigin { did: actor, relationships: Relationships(1) }.into());
    let actual = extract_actual_weight(&result, &info);
    assert!(actual.all_lte(info.call_weight), "{actual:?} of {:?}", info.call_weight);
    result.map(|_| ()).map_err(|failure| failure.error)
}

/// Updates the registry without a version.
pub fn update(actor: Did, update: SchemasUpdate) -> DispatchResult {
    update_at(actor, update, None)
}

/// Updates the registry at a version.
pub fn update_at(actor: Did, update: SchemasUpdate, expected_version: Option<u32>) -> DispatchResult {
    act(actor, Call::set_schemas_metadata { registry_id: REGISTRY, update, expected_version })
}

/// The registry's version.
pub fn version() -> u32 {
    Pallet::<Test>::registry(REGISTRY).expect("the registry").version
}

/// Prices from symbols and amounts.
pub fn prices(list: &[(&str, u128)]) -> PricesInput {
    list.iter().map(|(symbol, price)| (symbol.as_bytes().to_vec(), *price)).collect()
}

/// Prices as they are stored.
pub fn stored_prices(list: &[(&str, u128)]) -> Prices {
    let currency = |symbol: &str| Currency::parse(symbol.as_bytes()).expect("a symbol");
    let map: BTreeMap<_, _> = list.iter().map(|(symbol, price)| (currency(symbol), *price)).collect();
    map.try_into().expect("within the limit")
}

/// An update of one schema.
pub fn one(schema_id: H256, op: SchemaOp) -> SchemasUpdate {
    SchemasUpdate::Modify([(schema_id, op)].into())
}

/// Issuers without prices and listed verifiers.
pub fn metadata(issuers: &[Did], verifiers: &[Did]) -> Metadata {
    let listed = verifiers.iter().cloned().collect();
    Metadata {
        issuers: issuers.iter().map(|did| (did.clone(), PricesInput::new())).collect(),
        verifiers: (!verifiers.is_empty()).then_some(listed),
    }
}

/// Metadata of a public schema.
pub fn public(issuers: &[Did]) -> Metadata {
    Metadata { verifiers: Some(Default::default()), ..metadata(issuers, &[]) }
}

/// An update of one issuer of one schema.
pub fn issuer(schema_id: H256, did: Did, op: IssuerOp) -> SchemasUpdate {
    one(schema_id, SchemaOp::Modify(issuers(IssuersUpdate::Modify([(did, op)].into()))))
}

/// A change of issuers only.
pub fn issuers(update: IssuersUpdate) -> MetadataUpdate {
    MetadataUpdate { issuers: Some(update), verifiers: None }
}

/// An update of one verifier of one schema.
pub fn verifier(schema_id: H256, did: Did, op: VerifierOp) -> SchemasUpdate {
    one(schema_id, SchemaOp::Modify(verifiers(VerifiersUpdate::Modify([(did, op)].into()))))
}

/// A change of verifiers only.
pub fn verifiers(update: VerifiersUpdate) -> MetadataUpdate {
    MetadataUpdate { issuers: None, verifiers: Some(update) }
}

/// Adds a schema and discards its events.
pub fn add(schema_id: H256, metadata: Metadata) {
    assert_eq!(update(CONVENER, one(schema_id, SchemaOp::Add(metadata))), Ok(()));
    events();
}

/// Names delegates and discards the events.
pub fn delegate(issuer: Did, delegates: &[Did]) {
    let delegated = DelegatedUpdate::Set(delegates.iter().cloned().collect());
    assert_eq!(act(issuer, Call::update_delegated_issuers { registry_id: REGISTRY, delegated }), Ok(()));
    events();
}

/// Event of a change of an issuer.
pub fn issuer_changed(schema_id: H256, issuer: Did, old: Option<Prices>, new: Option<Prices>) -> Event<Test> {
    Event::IssuerChanged { registry_id: REGISTRY, schema_id, issuer, old, new }
}

/// Event of an issuer that was added without prices.
pub fn issuer_came(schema_id: H256, issuer: Did) -> Event<Test> {
    issuer_changed(schema_id, issuer, None, Some(Prices::new()))
}

/// Event of an issuer without prices that was removed.
pub fn issuer_left(schema_id: H256, issuer: Did) -> Event<Test> {
    issuer_changed(schema_id, issuer, Some(Prices::new()), None)
}

/// Event of a verifier that was added or removed.
pub fn verifier_changed(schema_id: H256, verifier: Did, new: bool) -> Event<Test> {
    Event::VerifierChanged { registry_id: REGISTRY, schema_id, verifier, old: !new, new }
}

/// Event of a schema that was added.
pub fn schema_added(schema_id: H256) -> Event<Test> {
    Event::SchemaAdded { registry_id: REGISTRY, schema_id }
}

/// Event of a schema that was removed.
pub fn schema_removed(schema_id: H256) -> Event<Test> {
    Event::SchemaRemoved { registry_id: REGISTRY, schema_id }
}

/// Event of a schema that became public or is no longer public.
pub fn public_set(schema_id: H256, public: bool) -> Event<Test> {
    Event::SchemaPublicSet { registry_id: REGISTRY, schema_id, public }
}

/// Event at the end of an update, with the version.
pub fn versioned(version: u32) -> Event<Test> {
    Event::SchemasMetadataSet { registry_id: REGISTRY, version }
}
