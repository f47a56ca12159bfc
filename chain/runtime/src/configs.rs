//! Configuration of each pallet.

use frame_support::{
    derive_impl,
    dispatch::DispatchClass,
    parameter_types,
    traits::{ConstU128, ConstU32, ConstU64, Contains, EitherOfDiverse, NeverEnsureOrigin, TypedGet, VariantCountOf},
    weights::{
        constants::{RocksDbWeight, WEIGHT_REF_TIME_PER_MILLIS},
        ConstantMultiplier, IdentityFee, Weight,
    },
    PalletId,
};
use frame_system::{
    limits::{BlockLength, BlockWeights},
    EnsureRoot,
};
use pallet_governance::limits::{KEPT_SETS, MAX_MOTIONS};
use pallet_transaction_payment::{ConstFeeMultiplier, FungibleAdapter, Multiplier};
use sp_consensus_aura::sr25519::AuthorityId as AuraId;
use sp_runtime::{
    traits::{Convert, ConvertInto, One, OpaqueKeys},
    Perbill,
};
use sp_version::RuntimeVersion;

use crate::{
    key_owners::KeyOwners, motions::FewMotions, slots, AccountId, Aura, Balance, Balances, Block, Council, Governance,
    Hash, Migrations, Nonce, Offences, OriginCaller, PalletInfo, Runtime, RuntimeCall, RuntimeEvent,
    RuntimeFreezeReason, RuntimeHoldReason, RuntimeOrigin, RuntimeTask, SessionKeys, System, Timestamp, VERSION,
};

/// Milliseconds of a slot.
const SLOT_MS: u64 = 3_000;
/// Share of a block that ordinary extrinsics may use.
const NORMAL: Perbill = Perbill::from_percent(80);
/// Blocks after which the validators or their keys may change: half a minute.
const SESSION_BLOCKS: u32 = 10;
/// Blocks between two changes of a validator's keys: a day. Each change makes every later proof longer.
const KEYS_BLOCKS: u32 = 24 * 60 * 60 * 1_000 / SLOT_MS as u32;
/// Blocks in which the council votes on a motion: a week.
const MOTION_BLOCKS: u32 = 7 * 24 * 60 * 60 * 1_000 / SLOT_MS as u32;
/// Blocks for which a report of a double vote waits in the pool of its node: a day.
pub const REPORT_BLOCKS: u64 = KEYS_BLOCKS as u64;
/// Greatest number of members of the council.
const MOST_MEMBERS: u32 = 32;

parameter_types! {
    pub const Version: RuntimeVersion = VERSION;
    pub Weights: BlockWeights = BlockWeights::with_sensible_defaults(
        Weight::from_parts(WEIGHT_REF_TIME_PER_MILLIS.saturating_mul(1_500), u64::MAX),
        NORMAL,
    );
    pub Length: BlockLength = BlockLength::builder()
        .max_length(5 * 1024 * 1024)
        .modify_max_length_for_class(DispatchClass::Normal, |length| *length = NORMAL * (5 * 1024 * 1024))
        .build();
    pub FeeMultiplier: Multiplier = Multiplier::one();
    pub const TreasuryId: PalletId = PalletId(*b"accredit");
    pub MostOfMotion: Weight = Perbill::from_percent(50) * Weights::get().max_block;
}

/// The calls that whoever is not root may make: all but those of the session pallet. `governance.set_keys` stands for
/// its `set_keys`, and bounds how often a validator changes them. Nobody takes keys back: a listed validator without
/// keys would keep those of all others from changing.
pub struct OpenCalls;

impl Contains<RuntimeCall> for OpenCalls {
    fn contains(call: &RuntimeCall) -> bool {
        !matches!(call, RuntimeCall::Session(_))
    }
}

#[derive_impl(frame_system::config_preludes::SolochainDefaultConfig)]
impl frame_system::Config for Runtime {
    type BaseCallFilter = OpenCalls;
    type Block = Block;
    type Nonce = Nonce;
    type Hash = Hash;
    type AccountId = AccountId;
    type AccountData = pallet_balances::AccountData<Balance>;
    type BlockHashCount = ConstU32<4096>;
    type BlockWeights = Weights;
    type BlockLength = Length;
    type DbWeight = RocksDbWeight;
    type Version = Version;
    type SingleBlockMigrations = Migrations;
    type SystemWeightInfo = frame_system::weights::SubstrateWeight<Runtime>;
    type SS58Prefix = frame_support::traits::ConstU16<42>;
}

impl pallet_timestamp::Config for Runtime {
    type Moment = u64;
    type OnTimestampSet = Aura;
    type MinimumPeriod = ConstU64<0>;
    type WeightInfo = ();
}

impl slots::Config for Runtime {}

impl pallet_aura::Config for Runtime {
    type AuthorityId = AuraId;
    type DisabledValidators = ();
    type MaxAuthorities = ConstU32<32>;
    type AllowMultipleBlocksPerSlot = slots::AllowMultipleBlocks<Runtime>;
    type SlotDuration = ConstU64<SLOT_MS>;
}

impl pallet_grandpa::Config for Runtime {
    type RuntimeEvent = RuntimeEvent;
    type WeightInfo = ();
    type MaxAuthorities = ConstU32<32>;
    type MaxNominators = ConstU32<0>;
    type MaxSetIdSessionEntries = ConstU64<{ KEPT_SETS as u64 }>;
    type KeyOwnerProof = sp_session::MembershipProof;
    type EquivocationReportSystem = pallet_grandpa::EquivocationReportSystem<
        Runtime,
        pallet_governance::OfListed<Runtime, Offences>,
        KeyOwners,
        ConstU64<REPORT_BLOCKS>,
    >;
}

/// Reports are rewarded to nobody, so that nobody has to know who built a block.
impl pallet_authorship::Config for Runtime {
    type FindAuthor = ();
    type EventHandler = ();
}

impl pallet_session::historical::Config for Runtime {
    type RuntimeEvent = RuntimeEvent;
    type FullIdentification = ();
    type FullIdentificationOf = NoIdentification;
}

/// Of a validator nothing is known but its account.
pub struct NoIdentification;

impl Convert<AccountId, Option<()>> for NoIdentification {
    fn convert(_: AccountId) -> Option<()> {
        Some(())
    }
}

impl pallet_offences::Config for Runtime {
    type RuntimeEvent = RuntimeEvent;
    type IdentificationTuple = pallet_session::historical::IdentificationTuple<Runtime>;
    type OnOffenceHandler = Governance;
}

impl pallet_balances::Config for Runtime {
    type RuntimeEvent = RuntimeEvent;
    type RuntimeHoldReason = RuntimeHoldReason;
    type RuntimeFreezeReason = RuntimeFreezeReason;
    type WeightInfo = pallet_balances::weights::SubstrateWeight<Runtime>;
    type Balance = Balance;
    type DustRemoval = ();
    type ExistentialDeposit = ConstU128<1>;
    type AccountStore = System;
    type ReserveIdentifier = [u8; 8];
    type FreezeIdentifier = RuntimeFreezeReason;
    type MaxLocks = ConstU32<0>;
    type MaxReserves = ConstU32<0>;
    type MaxFreezes = VariantCountOf<RuntimeFreezeReason>;
    type DoneSlashHandler = ();
}

/// The account to which fees go: the one with the sudo key, and without such a key the council's treasury.
pub struct Consortium;

impl TypedGet for Consortium {
    type Type = AccountId;

    fn get() -> AccountId {
        pallet_sudo::Key::<Runtime>::get().unwrap_or_else(Governance::treasury)
    }
}

impl pallet_transaction_payment::Config for Runtime {
    type RuntimeEvent = RuntimeEvent;
    type OnChargeTransaction =
        FungibleAdapter<Balances, frame_support::traits::tokens::imbalance::ResolveTo<Consortium, Balances>>;
    type WeightToFee = IdentityFee<Balance>;
    type LengthToFee = ConstantMultiplier<Balance, ConstU128<1_000>>;
    type FeeMultiplierUpdate = ConstFeeMultiplier<FeeMultiplier>;
    type OperationalFeeMultiplier = frame_support::traits::ConstU8<5>;
    type WeightInfo = pallet_transaction_payment::weights::SubstrateWeight<Runtime>;
}

impl pallet_utility::Config for Runtime {
    type RuntimeEvent = RuntimeEvent;
    type RuntimeCall = RuntimeCall;
    type PalletsOrigin = OriginCaller;
    type WeightInfo = pallet_utility::weights::SubstrateWeight<Runtime>;
}

impl pallet_sudo::Config for Runtime {
    type RuntimeEvent = RuntimeEvent;
    type RuntimeCall = RuntimeCall;
    type WeightInfo = pallet_sudo::weights::SubstrateWeight<Runtime>;
}

/// The council by two thirds of its members, or root.
type CouncilOrRoot =
    EitherOfDiverse<pallet_collective::EnsureProportionAtLeast<AccountId, (), 2, 3>, EnsureRoot<AccountId>>;

impl pallet_governance::Config for Runtime {
    type RuntimeCall = RuntimeCall;
    type CouncilOrigin = CouncilOrRoot;
    type SessionBlocks = ConstU32<SESSION_BLOCKS>;
    type KeysBlocks = ConstU32<KEYS_BLOCKS>;
    type TreasuryId = TreasuryId;
    type WeightInfo = pallet_governance::Derived<Runtime>;
}

impl pallet_session::Config for Runtime {
    type RuntimeEvent = RuntimeEvent;
    type ValidatorId = AccountId;
    type ValidatorIdOf = ConvertInto;
    type ShouldEndSession = Governance;
    type NextSessionRotation = ();
    type SessionManager = pallet_session::historical::NoteHistoricalRoot<Runtime, Governance>;
    type SessionHandler = <SessionKeys as OpaqueKeys>::KeyTypeIdProviders;
    type Keys = SessionKeys;
    type DisablingStrategy = ();
    type WeightInfo = pallet_session::weights::SubstrateWeight<Runtime>;
    type Currency = Balances;
    type KeyDeposit = ConstU128<0>;
}

impl pallet_collective::Config for Runtime {
    type RuntimeOrigin = RuntimeOrigin;
    type Proposal = RuntimeCall;
    type RuntimeEvent = RuntimeEvent;
    type MotionDuration = ConstU32<MOTION_BLOCKS>;
    type MaxProposals = ConstU32<MAX_MOTIONS>;
    type MaxMembers = ConstU32<MOST_MEMBERS>;
    type DefaultVote = pallet_collective::PrimeDefaultVote;
    type WeightInfo = pallet_collective::weights::SubstrateWeight<Runtime>;
    // Members change through the pallet of members alone.
    type SetMembersOrigin = NeverEnsureOrigin<()>;
    type MaxProposalWeight = MostOfMotion;
    type DisapproveOrigin = EnsureRoot<AccountId>;
    type KillOrigin = EnsureRoot<AccountId>;
    type Consideration = FewMotions;
}

impl pallet_membership::Config for Runtime {
    type RuntimeEvent = RuntimeEvent;
    type AddOrigin = EnsureRoot<AccountId>;
    type RemoveOrigin = EnsureRoot<AccountId>;
    type SwapOrigin = EnsureRoot<AccountId>;
    type ResetOrigin = EnsureRoot<AccountId>;
    // A prime would vote for all who are silent: less than two thirds could then decide.
    type PrimeOrigin = NeverEnsureOrigin<()>;
    type MembershipInitialized = Council;
    type MembershipChanged = Council;
    type MaxMembers = ConstU32<MOST_MEMBERS>;
    type WeightInfo = pallet_membership::weights::SubstrateWeight<Runtime>;
}

/// The calls that a DID may make: changes of DIDs, trust registries and revocation registries. Only accounts create
/// DIDs and submit their actions.
pub struct DidCalls;

impl Contains<RuntimeCall> for DidCalls {
    fn contains(call: &RuntimeCall) -> bool {
        match call {
            RuntimeCall::Did(call) => {
                !matches!(call, pallet_did::Call::create { .. } | pallet_did::Call::dispatch_as { .. })
            }
            RuntimeCall::TrustRegistry(_) | RuntimeCall::Revocation(_) => true,
            _ => false,
        }
    }
}

impl pallet_did::Config for Runtime {
    type RuntimeCall = RuntimeCall;
    type DidCalls = DidCalls;
    type ControllerOrigin = pallet_did::EnsureController<Runtime>;
    type Conveners = pallet_trust_registry::Conveners<Runtime>;
    type Time = Timestamp;
    type WeightInfo = pallet_did::Measured<Runtime>;
}

impl pallet_trust_registry::Config for Runtime {
    type ActorOrigin = pallet_did::EnsureActor<Runtime>;
    type ActiveDids = pallet_did::ActiveDids<Runtime>;
    type DeactivatedDids = pallet_did::DeactivatedDids<Runtime>;
    type WeightInfo = pallet_trust_registry::Measured<Runtime>;
}

impl pallet_revocation::Config for Runtime {
    type ActorOrigin = pallet_did::EnsureActor<Runtime>;
    type WeightInfo = pallet_revocation::Measured<Runtime>;
}
