//! Tests of the calls, one file for each, on a small runtime.

mod add_controllers;
mod add_keys;
mod create;
mod deactivate;
mod dispatch_as;
mod history;
mod invariants;
mod limits;
mod model;
mod other_methods;
mod plain;
mod properties;
mod remove_controllers;
mod remove_service;
mod revoke_keys;
mod rotate_key;
mod set_service;
mod signatures;
mod weak_keys;

use codec::Encode;
use frame_support::{
    derive_impl, parameter_types,
    traits::{ConstU64, Contains, Get},
};
use sp_core::{ed25519, Pair, H256};
use sp_io::hashing::blake2_256;
use sp_runtime::{traits::Dispatchable, BuildStorage, DispatchResult};
use sp_version::RuntimeVersion;

use crate::{payload::*, *};

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
    pub type Dids = crate;
}

type Block = frame_system::mocking::MockBlock<Test>;

parameter_types! {
    /// DIDs that convene a registry.
    pub static Convening: Vec<Did> = Vec::new();
    /// The runtime's transaction version.
    pub static TransactionVersion: u32 = 1;
}

/// The runtime's version, of which only the transaction version matters.
pub struct Version;
impl Get<RuntimeVersion> for Version {
    fn get() -> RuntimeVersion {
        RuntimeVersion { transaction_version: TransactionVersion::get(), ..Default::default() }
    }
}

/// The calls that DIDs may make in this runtime.
pub struct OnlyDids;
impl Contains<RuntimeCall> for OnlyDids {
    fn contains(call: &RuntimeCall) -> bool {
        matches!(call, RuntimeCall::Dids(inner) if !matches!(inner, Call::create { .. } | Call::dispatch_as { .. }))
    }
}

/// The DIDs in [`Convening`].
pub struct Conveners;
impl Contains<Did> for Conveners {
    fn contains(did: &Did) -> bool {
        Convening::get().contains(did)
    }
}

#[derive_impl(frame_system::config_preludes::TestDefaultConfig)]
impl frame_system::Config for Test {
    type Block = Block;
    type Version = Version;
}

impl pallet_timestamp::Config for Test {
    type Moment = u64;
    type OnTimestampSet = ();
    type MinimumPeriod = ConstU64<0>;
    type WeightInfo = ();
}

impl Config for Test {
    type RuntimeCall = RuntimeCall;
    type DidCalls = OnlyDids;
    type ControllerOrigin = EnsureController<Test>;
    type Conveners = Conveners;
    type Time = Timestamp;
    type WeightInfo = Measured<Test>;
}

/// The account that sends every extrinsic.
pub const SUBMITTER: u64 = 7;
/// The ledger's clock.
pub const NOW: u64 = 1_800_000_000_000;
/// Hash of the ledger's block 0.
pub const GENESIS: H256 = H256([9; 32]);

/// Runs a test on an empty ledger and checks the invariants after it.
pub fn ledger(test: impl FnOnce()) {
    let storage = frame_system::GenesisConfig::<Test>::default().build_storage().expect("an empty genesis");
    sp_io::TestExternalities::new(storage).execute_with(|| {
        System::set_block_number(1);
        frame_system::BlockHash::<Test>::insert(0, GENESIS);
        Timestamp::set_timestamp(NOW);
        test();
        assert_eq!(Pallet::<Test>::check_invariants(), Ok(()));
    });
}

/// An empty ledger with a keystore for the keys that benchmarks make.
pub fn for_benchmarks() -> sp_io::TestExternalities {
    let storage = frame_system::GenesisConfig::<Test>::default().build_storage().expect("an empty genesis");
    let mut externalities = sp_io::TestExternalities::new(storage);
    externalities.register_extension(sp_keystore::KeystoreExt::new(sp_keystore::testing::MemoryKeystore::new()));
    externalities
}

/// The pallet's events since the last call of this function.
pub fn events() -> Vec<Event<Test>> {
    let records = System::events();
    System::reset_events();
    let event = |record: frame_system::EventRecord<RuntimeEvent, H256>| match record.event {
        RuntimeEvent::Dids(event) => Some(event),
        _ => None,
    };
    records.into_iter().filter_map(event).collect()
}

/// A key pair.
pub fn pair(seed: u8) -> ed25519::Pair {
    ed25519::Pair::from_seed(&[seed; 32])
}

/// The public key of a pair.
pub fn public(seed: u8) -> PublicKey {
    PublicKey::Ed25519(pair(seed).public().0)
}

/// An Ed25519 key for everything that it can be used for.
pub fn entry(seed: u8) -> KeyEntry {
    KeyEntry { key: public(seed), relationships: Relationships::ALL }
}

/// A `did:key`.
pub fn did_key(seed: u8) -> Did {
    Did::Key(DidKey::Ed25519(pair(seed).public().0))
}

/// The id of a DID with a first key, and a salt of zeros.
pub fn id_of(seed: u8) -> DidId {
    DidId(blake2_256(&IdPayload { tag: ID_TAG, key: public(seed), salt: [0; 32] }.encode()))
}

/// The parameters of a creation.
#[derive(Clone, Debug)]
pub struct Creation {
    /// Seed of the key that signs and that gives the id.
    pub first: u8,
    /// All keys, including the first.
    pub keys: Vec<KeyEntry>,
    /// Controllers.
    pub controllers: Vec<Did>,
    /// Services.
    pub services: Vec<ServiceEntry>,
}

/// A creation with one key.
pub fn creation(first: u8) -> Creation {
    Creation { first, keys: vec![entry(first)], controllers: vec![], services: vec![] }
}

impl Creation {
    /// Returns the payload that the first key signs.
    pub fn payload(&self) -> CreationPayload<H256, u64> {
        CreationPayload {
            tag: CREATION_TAG,
            genesis_hash: GENESIS,
            salt: [0; 32],
            keys: self.keys.clone(),
            controllers: self.controllers.iter().cloned().collect(),
            services: self.services.clone(),
            submitter: SUBMITTER,
        }
    }

    /// Sends the creation, signed over its own payload.
    pub fn send(&self) -> DispatchResult {
        self.send_signed(&self.payload())
    }

    /// Sends the creation, signed over a given payload.
    pub fn send_signed(&self, signed: &CreationPayload<H256, u64>) -> DispatchResult {
        let signature = pair(self.first).sign(&signed.encode()).0;
        let CreationPayload { salt, keys, controllers, services, .. } = self.payload();
        let call = Call::create { salt, keys, controllers, services, signature };
        outcome(RuntimeCall::Dids(call).dispatch(RuntimeOrigin::signed(SUBMITTER)))
    }
}

/// Creates a DID with one key and discards its events.
pub fn created(seed: u8) -> DidId {
    assert_eq!(creation(seed).send(), Ok(()));
    events();
    id_of(seed)
}

/// Makes a call as a DID that acts through a key for everything.
pub fn act(actor: impl Into<Did>, call: Call<Test>) -> DispatchResult {
    act_through(actor, Relationships(7), call)
}

/// Makes a call as a DID that acts through a key with some relationships.
pub fn act_through(actor: impl Into<Did>, relationships: Relationships, call: Call<Test>) -> DispatchResult {
    let origin = DidOrigin { did: actor.into(), relationships };
    outcome(RuntimeCall::Dids(call).dispatch(origin.into()))
}

/// A result without its weight.
pub fn outcome(result: frame_support::dispatch::DispatchResultWithPostInfo) -> DispatchResult {
    result.map(|_| ()).map_err(|failure| failure.error)
}

/// A key for an existing DID, with its proof of possession.
pub fn proven(did: DidId, seed: u8) -> DidKeyInput {
    let payload = PossessionPayload { tag: POSSESSION_TAG, genesis_hash: GENESIS, did, key: public(seed) };
    let possession = Some(pair(seed).sign(&payload.encode()).0);
    DidKeyInput { key: public(seed), relationships: Relationships::ALL, possession }
}

/// A key without a proof of possession.
pub fn unproven(key: PublicKey) -> DidKeyInput {
    DidKeyInput { key, relationships: Relationships::ALL, possession: None }
}

/// A service.
pub fn service(id: &str, endpoint: &str) -> ServiceEntry {
    let bytes = |text: &str| text.as_bytes().to_vec();
    ServiceEntry { id: bytes(id), service_type: bytes("LinkedDomains"), endpoints: vec![bytes(endpoint)] }
}

/// A service as it is stored.
pub fn stored(entry: ServiceEntry) -> (ServiceField, Service) {
    entry.bounded().expect("a service within its limits")
}
