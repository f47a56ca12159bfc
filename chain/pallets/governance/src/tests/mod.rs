//! Tests of the calls, one file for each, and of the ends of sessions, on a small runtime with the real session pallet.

mod act;
mod genesis;
mod invariants;
mod keys;
mod motions;
mod offences;
mod sessions;
mod set_validators;

use std::collections::BTreeSet;

use frame_support::{
    derive_impl,
    dispatch::{extract_actual_weight, GetDispatchInfo},
    ord_parameter_types, parameter_types,
    traits::{ConstU64, EitherOfDiverse, Hooks},
    PalletId,
};
use frame_system::{EnsureRoot, EnsureSignedBy};
use sp_runtime::{
    impl_opaque_keys,
    testing::UintAuthorityId,
    traits::{Convert, ConvertInto, Dispatchable},
    BuildStorage, DispatchResult,
};

use crate::*;

#[frame_support::runtime]
mod runtime {
    #[runtime::runtime]
    #[runtime::derive(
        RuntimeCall,
        RuntimeEvent,
        RuntimeError,
        RuntimeOrigin,
        RuntimeFreezeReason,
        RuntimeHoldReason,
        RuntimeTask
    )]
    pub struct Test;

    #[runtime::pallet_index(0)]
    pub type System = frame_system;
    #[runtime::pallet_index(4)]
    pub type Governance = crate;
    #[runtime::pallet_index(5)]
    pub type Balances = pallet_balances;
    #[runtime::pallet_index(13)]
    pub type Session = pallet_session;
    #[runtime::pallet_index(17)]
    pub type Historical = pallet_session::historical;
    #[runtime::pallet_index(18)]
    pub type Offences = pallet_offences;
}

type Block = frame_system::mocking::MockBlock<Test>;
type AccountId = u64;

impl_opaque_keys! {
    pub struct Keys {
        pub dummy: UintAuthorityId,
    }
}

#[derive_impl(frame_system::config_preludes::TestDefaultConfig)]
impl frame_system::Config for Test {
    type Block = Block;
    type AccountData = pallet_balances::AccountData<u64>;
}

#[derive_impl(pallet_balances::config_preludes::TestDefaultConfig)]
impl pallet_balances::Config for Test {
    type AccountStore = System;
}

impl pallet_session::Config for Test {
    type RuntimeEvent = RuntimeEvent;
    type ValidatorId = AccountId;
    type ValidatorIdOf = ConvertInto;
    type ShouldEndSession = Governance;
    type NextSessionRotation = ();
    type SessionManager = pallet_session::historical::NoteHistoricalRoot<Test, Governance>;
    type SessionHandler = pallet_session::TestSessionHandler;
    type Keys = Keys;
    type DisablingStrategy = ();
    type WeightInfo = ();
    type Currency = Balances;
    type KeyDeposit = ConstU64<0>;
}

impl pallet_session::historical::Config for Test {
    type RuntimeEvent = RuntimeEvent;
    type FullIdentification = ();
    type FullIdentificationOf = NoIdentification;
}

pub struct NoIdentification;

impl Convert<AccountId, Option<()>> for NoIdentification {
    fn convert(_: AccountId) -> Option<()> {
        Some(())
    }
}

impl pallet_offences::Config for Test {
    type RuntimeEvent = RuntimeEvent;
    type IdentificationTuple = (AccountId, ());
    type OnOffenceHandler = Governance;
}

ord_parameter_types! {
    pub const Council: AccountId = COUNCIL;
}
parameter_types! {
    pub const Treasury: PalletId = PalletId(*b"treasury");
}

impl Config for Test {
    type RuntimeCall = RuntimeCall;
    type CouncilOrigin = EitherOfDiverse<EnsureSignedBy<Council, AccountId>, EnsureRoot<AccountId>>;
    type SessionBlocks = ConstU64<SESSION>;
    type KeysBlocks = ConstU64<KEYS>;
    type TreasuryId = Treasury;
    type WeightInfo = Derived<Test>;
}

/// The account that stands for the council.
pub const COUNCIL: AccountId = 1_000;
/// Blocks of a session.
pub const SESSION: u64 = 5;
/// Blocks between two changes of keys.
pub const KEYS: u64 = 100;

/// The genesis of a ledger with validators, whose keys are their numbers.
pub fn storage_of(validators: &[AccountId]) -> sp_runtime::Storage {
    let keys = validators.iter().map(|account| (*account, *account, keys(*account))).collect();
    let governance = GenesisConfig::<Test> { validators: validators.to_vec() };
    let session = pallet_session::GenesisConfig::<Test> { keys, ..Default::default() };
    let mut storage = frame_system::GenesisConfig::<Test>::default().build_storage().expect("an empty genesis");
    governance.assimilate_storage(&mut storage).expect("a list");
    session.assimilate_storage(&mut storage).expect("keys");
    storage
}

/// Runs a test on a ledger with validators and checks the invariants after it.
pub fn ledger(validators: &[AccountId], test: impl FnOnce()) {
    sp_io::TestExternalities::new(storage_of(validators)).execute_with(|| {
        System::set_block_number(1);
        test();
        assert_eq!(Pallet::<Test>::check_invariants(), Ok(()));
    });
}

/// An empty ledger for benchmarks.
pub fn for_benchmarks() -> sp_io::TestExternalities {
    let mut externalities = sp_io::TestExternalities::new(storage_of(&[]));
    externalities.execute_with(|| System::set_block_number(1));
    externalities
}

pub fn keys(number: u64) -> Keys {
    Keys { dummy: UintAuthorityId(number) }
}

/// Gives an account session keys.
pub fn set_keys(account: AccountId, number: u64) {
    pallet_session::NextKeys::<Test>::insert(account, keys(number));
}

/// Begins blocks up to a height.
pub fn until(height: u64) {
    while System::block_number() < height {
        let now = System::block_number().saturating_add(1);
        System::set_block_number(now);
        Governance::on_initialize(now);
        Session::on_initialize(now);
    }
}

/// The pallet's events since the last call of this function.
pub fn events() -> Vec<Event<Test>> {
    let records = System::events();
    System::reset_events();
    let event = |record: frame_system::EventRecord<RuntimeEvent, _>| match record.event {
        RuntimeEvent::Governance(event) => Some(event),
        _ => None,
    };
    records.into_iter().filter_map(event).collect()
}

/// Makes a call as an account, and checks that it is never heavier than declared.
pub fn send(sender: AccountId, call: Call<Test>) -> DispatchResult {
    let call = RuntimeCall::Governance(call);
    let info = call.get_dispatch_info();
    let result = call.dispatch(RuntimeOrigin::signed(sender));
    assert!(extract_actual_weight(&result, &info).all_lte(info.call_weight));
    result.map(|_| ()).map_err(|failure| failure.error)
}

/// Replaces the list.
pub fn set(validators: &[AccountId]) -> Call<Test> {
    Call::set_validators { validators: validators.iter().copied().collect::<BTreeSet<_>>() }
}
