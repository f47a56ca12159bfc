//! Tests of the calls, one file for each, on a small runtime with the real DID pallet.

mod create;
mod history;
mod invariants;
mod limits;
mod model;
mod properties;
mod remove;
mod set_status;
mod update_accumulator;

use frame_support::{
    derive_impl,
    dispatch::{extract_actual_weight, GetDispatchInfo},
    traits::{ConstU64, Nothing},
};
use pallet_did::{Did, DidKey, DidOrigin, EnsureActor, EnsureController, Relationships};
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
    #[runtime::pallet_index(12)]
    pub type Revocation = crate;
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
    type Conveners = Nothing;
    type Time = Timestamp;
    type WeightInfo = pallet_did::Measured<Test>;
}

impl Config for Test {
    type ActorOrigin = EnsureActor<Test>;
    type WeightInfo = Measured<Test>;
}

/// The registry of most tests.
pub const REGISTRY: H256 = H256([1; 32]);
/// Its creator.
pub const ISSUER: Did = did(1);

/// A DID that can act.
pub const fn did(number: u8) -> Did {
    Did::Key(DidKey::Ed25519([number; 32]))
}

/// The smallest status list.
pub const LIST: KindInput = KindInput::StatusList { length: crate::limits::MIN_LENGTH };

/// Runs a test on an empty ledger and checks the invariants after it.
pub fn ledger(test: impl FnOnce()) {
    let storage = frame_system::GenesisConfig::<Test>::default().build_storage().expect("an empty genesis");
    sp_io::TestExternalities::new(storage).execute_with(|| {
        System::set_block_number(1);
        test();
        assert_eq!(Pallet::<Test>::check_invariants(), Ok(()));
    });
}

/// Runs a test on a ledger with one status list of two DIDs.
pub fn with_list(add_only: bool, test: impl FnOnce()) {
    ledger(|| {
        assert_eq!(act(ISSUER, create(&[ISSUER, did(2)], add_only, LIST)), Ok(()));
        events();
        test();
    });
}

/// The first value of the accumulator.
pub const FIRST_VALUE: &[u8] = &[0; 48];

/// An accumulator.
pub fn accumulator() -> KindInput {
    KindInput::Accumulator { public_key: vec![1; 96], accumulated: FIRST_VALUE.to_vec() }
}

/// Runs a test on a ledger with one accumulator of two DIDs.
pub fn with_accumulator(add_only: bool, test: impl FnOnce()) {
    ledger(|| {
        assert_eq!(act(ISSUER, create(&[ISSUER, did(2)], add_only, accumulator())), Ok(()));
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
        RuntimeEvent::Revocation(event) => Some(event),
        _ => None,
    };
    records.into_iter().filter_map(event).collect()
}

/// Makes a call as a DID, and checks that it is never heavier than declared.
pub fn act(actor: Did, call: Call<Test>) -> DispatchResult {
    let call = RuntimeCall::Revocation(call);
    let info = call.get_dispatch_info();
    let result = call.dispatch(DidOrigin { did: actor, relationships: Relationships(1) }.into());
    assert!(extract_actual_weight(&result, &info).all_lte(info.call_weight));
    result.map(|_| ()).map_err(|failure| failure.error)
}

/// Creates the registry.
pub fn create(policy: &[Did], add_only: bool, kind: KindInput) -> Call<Test> {
    Call::create { registry_id: REGISTRY, policy: policy.iter().cloned().collect(), add_only, kind }
}

/// Sets and clears bits of the registry.
pub fn set(revoke: &[u32], unrevoke: &[u32]) -> Call<Test> {
    let indexes = |list: &[u32]| list.iter().copied().collect();
    Call::set_status { registry_id: REGISTRY, revoke: indexes(revoke), unrevoke: indexes(unrevoke) }
}
