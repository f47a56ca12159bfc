//! The runtime of the ledger: the three pallets of the mission, and what a chain needs around them.
#![cfg_attr(not(feature = "std"), no_std)]
#![recursion_limit = "256"]

extern crate alloc;

mod apis;
mod configs;
mod dry_run;
mod genesis;
#[cfg(feature = "next")]
mod next;
mod slots;
#[cfg(test)]
mod tests;

use alloc::{borrow::Cow, vec::Vec};
use sp_runtime::{
    generic,
    traits::{BlakeTwo256, IdentifyAccount, Verify},
    MultiAddress, MultiSignature,
};
use sp_version::RuntimeVersion;

/// What accounts sign with.
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
/// How an account is named.
pub type Address = MultiAddress<AccountId, ()>;
/// A block's header.
pub type Header = generic::Header<BlockNumber, BlakeTwo256>;
/// A block.
pub type Block = generic::Block<Header, UncheckedExtrinsic>;
/// What is checked around every extrinsic.
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
        /// Builds blocks.
        pub aura: Aura,
        /// Finalises them.
        pub grandpa: Grandpa,
    }
}

#[cfg(feature = "next")]
pub use next::{Migrations, VERSION};

/// What an upgrade to this runtime changes in the storage of the one before, with an event for each change.
#[cfg(not(feature = "next"))]
pub type Migrations = ();

/// Which runtime this is. `spec_version` grows with every change, `transaction_version` when old extrinsics or
/// authorisations would mean something else.
#[cfg(not(feature = "next"))]
#[sp_version::runtime_version]
pub const VERSION: RuntimeVersion = RuntimeVersion {
    spec_name: Cow::Borrowed("accredit"),
    impl_name: Cow::Borrowed("accredit"),
    authoring_version: 1,
    spec_version: 2,
    impl_version: 1,
    apis: apis::RUNTIME_API_VERSIONS,
    transaction_version: 1,
    system_version: 1,
};

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
    // 4 is kept for the list of validators.
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
}
