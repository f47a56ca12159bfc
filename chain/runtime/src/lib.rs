//! The runtime of the ledger: its own four pallets, and those that every chain needs.
#![cfg_attr(not(feature = "std"), no_std)]
#![recursion_limit = "256"]

extern crate alloc;

#[cfg(feature = "runtime-benchmarks")]
#[macro_use]
mod benchmarks;

mod apis;
mod configs;
mod dry_run;
mod genesis;
mod key_owners;
mod motions;
#[cfg(feature = "next")]
mod next;
mod slots;
#[cfg(test)]
mod tests;
#[cfg(not(feature = "next"))]
mod version;

use alloc::vec::Vec;
use sp_runtime::{
    generic,
    traits::{BlakeTwo256, IdentifyAccount, Verify},
    MultiAddress, MultiSignature,
};

/// A signature by an account.
pub type Signature = MultiSignature;
/// An account.
pub type AccountId = <<Signature as Verify>::Signer as IdentifyAccount>::AccountId;
/// An amount of the token that pays fees.
pub type Balance = u128;
/// A hash.
pub type Hash = sp_core::H256;
/// The number of a block.
pub type BlockNumber = u32;
/// An account's nonce.
pub type Nonce = u32;
/// The address of an account in an extrinsic.
pub type Address = MultiAddress<AccountId, ()>;
/// A block's header.
pub type Header = generic::Header<BlockNumber, BlakeTwo256>;
/// A block.
pub type Block = generic::Block<Header, UncheckedExtrinsic>;
/// The checks around every extrinsic.
pub type TxExtension = (
    frame_system::CheckNonZeroSender<Runtime>,
    frame_system::CheckSpecVersion<Runtime>,
    frame_system::CheckTxVersion<Runtime>,
    frame_system::CheckGenesis<Runtime>,
    frame_system::CheckMortality<Runtime>,
    frame_system::CheckNonce<Runtime>,
    frame_system::CheckWeight<Runtime>,
    pallet_transaction_payment::ChargeTransactionPayment<Runtime>,
    frame_system::WeightReclaim<Runtime>,
);
/// An extrinsic.
pub type UncheckedExtrinsic = generic::UncheckedExtrinsic<Address, RuntimeCall, Signature, TxExtension>;
/// Runs blocks.
pub type Executive =
    frame_executive::Executive<Runtime, Block, frame_system::ChainContext<Runtime>, Runtime, AllPalletsWithSystem>;

sp_runtime::impl_opaque_keys! {
    /// The keys of a validator.
    pub struct SessionKeys {
        /// The key for building blocks.
        pub aura: Aura,
        /// The key for finalising them.
        pub grandpa: Grandpa,
    }
}

/// A node makes an extrinsic that nobody signs: a report of a double vote, for its own blocks.
impl<Call> frame_system::offchain::CreateTransactionBase<Call> for Runtime
where
    RuntimeCall: From<Call>,
{
    type Extrinsic = UncheckedExtrinsic;
    type RuntimeCall = RuntimeCall;
}

impl<Call> frame_system::offchain::CreateBare<Call> for Runtime
where
    RuntimeCall: From<Call>,
{
    fn create_bare(call: RuntimeCall) -> UncheckedExtrinsic {
        UncheckedExtrinsic::new_bare(call)
    }
}

#[cfg(feature = "next")]
pub use next::{Migrations, VERSION};
#[cfg(not(feature = "next"))]
pub use version::{Migrations, VERSION};

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
        RuntimeSlashReason,
        RuntimeLockId,
        RuntimeTask,
        RuntimeViewFunction
    )]
    pub struct Runtime;

    #[runtime::pallet_index(0)]
    pub type System = frame_system;
    #[runtime::pallet_index(1)]
    pub type Timestamp = pallet_timestamp;
    #[runtime::pallet_index(2)]
    pub type Aura = pallet_aura;
    #[runtime::pallet_index(3)]
    pub type Grandpa = pallet_grandpa;
    #[runtime::pallet_index(4)]
    pub type Governance = pallet_governance;
    #[runtime::pallet_index(5)]
    pub type Balances = pallet_balances;
    #[runtime::pallet_index(6)]
    pub type TransactionPayment = pallet_transaction_payment;
    #[runtime::pallet_index(7)]
    pub type Utility = pallet_utility;
    #[runtime::pallet_index(8)]
    pub type Sudo = pallet_sudo;
    #[runtime::pallet_index(9)]
    pub type Slots = crate::slots;
    #[runtime::pallet_index(10)]
    pub type Did = pallet_did;
    #[runtime::pallet_index(11)]
    pub type TrustRegistry = pallet_trust_registry;
    #[runtime::pallet_index(12)]
    pub type Revocation = pallet_revocation;
    #[runtime::pallet_index(13)]
    pub type Session = pallet_session;
    #[runtime::pallet_index(14)]
    pub type Council = pallet_collective;
    #[runtime::pallet_index(15)]
    pub type CouncilMembers = pallet_membership;
    #[runtime::pallet_index(16)]
    pub type Authorship = pallet_authorship;
    #[runtime::pallet_index(17)]
    pub type Historical = pallet_session::historical;
    #[runtime::pallet_index(18)]
    pub type Offences = pallet_offences;
}
