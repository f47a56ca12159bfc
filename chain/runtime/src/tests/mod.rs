//! Tests of the pallets together, in the real runtime.

mod actions;
mod dry_run;
mod indices;
mod limits;
mod network;
mod properties;
mod readme;
mod setup;
mod view_functions;

use codec::Encode;
use pallet_did::{
    payload::{ActionPayload, CreationPayload, IdPayload, ACTION_TAG, CREATION_TAG, ID_TAG},
    Authorization, Did, DidId, KeyEntry, PublicKey, Relationships,
};
use sp_core::{ed25519, Pair, H256};
use sp_io::hashing::blake2_256;

use crate::{AccountId, Runtime, RuntimeCall, RuntimeEvent, RuntimeOrigin, System, Timestamp, VERSION};

/// The ledger's clock.
const NOW: u64 = 1_800_000_000_000;
/// The hash of its block 0.
const GENESIS: H256 = H256([9; 32]);
/// The account that pays.
const SUBMITTER: AccountId = AccountId::new([7; 32]);

/// Runs a test on a ledger made from a genesis, and checks the invariants of all pallets after it.
fn ledger_of(genesis: serde_json::Value, test: impl FnOnce()) {
    let mut externalities = sp_io::TestExternalities::default();
    externalities.execute_with(|| {
        let built = frame_support::genesis_builder_helper::build_state::<crate::RuntimeGenesisConfig>(
            genesis.to_string().into_bytes(),
        );
        assert_eq!(built, Ok(()));
        System::set_block_number(1);
        frame_system::BlockHash::<Runtime>::insert(0, GENESIS);
        pallet_timestamp::Now::<Runtime>::put(NOW);
        test();
        assert_eq!(pallet_did::Pallet::<Runtime>::check_invariants(), Ok(()));
        assert_eq!(pallet_trust_registry::Pallet::<Runtime>::check_invariants(), Ok(()));
        assert_eq!(pallet_revocation::Pallet::<Runtime>::check_invariants(), Ok(()));
        assert_eq!(pallet_governance::Pallet::<Runtime>::check_invariants(), Ok(()));
    });
}

/// Runs a test on an empty ledger.
fn ledger(test: impl FnOnce()) {
    ledger_of(default_genesis(), test);
}

/// The default genesis as JSON.
fn default_genesis() -> serde_json::Value {
    let json = frame_support::genesis_builder_helper::get_preset::<crate::RuntimeGenesisConfig>(&None, |_| None);
    serde_json::from_slice(&json.expect("a default genesis")).expect("JSON")
}

/// All events since the last call of this function.
fn events() -> Vec<RuntimeEvent> {
    let records = System::events();
    System::reset_events();
    records.into_iter().map(|record| record.event).collect()
}

fn pair(seed: u8) -> ed25519::Pair {
    ed25519::Pair::from_seed(&[seed; 32])
}

fn entry(seed: u8) -> KeyEntry {
    KeyEntry { key: PublicKey::Ed25519(pair(seed).public().0), relationships: Relationships::ALL }
}

fn id_of(seed: u8) -> DidId {
    DidId(blake2_256(&IdPayload { tag: ID_TAG, key: entry(seed).key, salt: [0; 32] }.encode()))
}

/// The creation of a DID with one key.
fn creation(seed: u8) -> RuntimeCall {
    let payload = CreationPayload {
        tag: CREATION_TAG,
        genesis_hash: GENESIS,
        salt: [0; 32],
        keys: vec![entry(seed)],
        controllers: Default::default(),
        services: vec![],
        submitter: SUBMITTER,
    };
    let signature = pair(seed).sign(&payload.encode()).0;
    let CreationPayload { salt, keys, controllers, services, .. } = payload;
    RuntimeCall::Did(pallet_did::Call::create { salt, keys, controllers, services, signature })
}

/// Calls of a DID, in the call that its submitter sends.
fn dispatch(seed: u8, nonce: u32, calls: Vec<RuntimeCall>) -> RuntimeCall {
    let payload = ActionPayload {
        tag: ACTION_TAG,
        genesis_hash: GENESIS,
        transaction_version: VERSION.transaction_version,
        did: Did::Svc(id_of(seed)),
        key_id: 1,
        nonce,
        valid_until: NOW,
        submitter: SUBMITTER,
        calls,
    };
    let signature = pair(seed).sign(&payload.encode()).0;
    let ActionPayload { did, key_id, nonce, valid_until, calls, .. } = payload;
    let authorization = Box::new(Authorization { did, key_id, nonce, valid_until, signature });
    RuntimeCall::Did(pallet_did::Call::dispatch_as { authorization, calls })
}

/// Sends a call as the submitter.
fn send(call: RuntimeCall) -> Result<(), sp_runtime::DispatchError> {
    let result = sp_runtime::traits::Dispatchable::dispatch(call, RuntimeOrigin::signed(SUBMITTER));
    result.map(|_| ()).map_err(|failure| failure.error)
}

/// The creation of a registry.
fn registry(number: u8) -> RuntimeCall {
    let (name, gov_framework) = (b"Universities".to_vec(), b"https://example.org".to_vec());
    let registry_id = H256([number; 32]);
    RuntimeCall::TrustRegistry(pallet_trust_registry::Call::init_or_update_trust_registry {
        registry_id,
        name,
        gov_framework,
    })
}
