//! The questions of the node to a runtime. These are declarations: every call runs the WebAssembly that the chain holds, so
//! that a node serves each later runtime, and no body below is ever executed.

use sp_consensus_aura::sr25519::AuthorityId as AuraId;
use sp_core::{crypto::KeyTypeId, OpaqueMetadata};
use sp_runtime::{
    generic,
    traits::{BlakeTwo256, Block as BlockT, NumberFor},
    transaction_validity::{TransactionSource, TransactionValidity},
    AccountId32, ApplyExtrinsicResult, ExtrinsicInclusionMode, OpaqueExtrinsic,
};
use sp_weights::Weight;

/// An account of the ledger.
pub type AccountId = AccountId32;
/// An account's nonce.
pub type Nonce = u32;
/// An amount of the token that pays fees.
pub type Balance = u128;
/// A block whose extrinsics the node carries without reading them.
pub type Block = generic::Block<generic::Header<u32, BlakeTwo256>, OpaqueExtrinsic>;

/// Stands for the runtime of the chain, which is no code of the node.
#[expect(dead_code, reason = "it is the declarations below that are used, by the client that the macro makes of them")]
struct Runtime;

sp_api::impl_runtime_apis! {
    impl sp_api::Core<Block> for Runtime {
        fn version() -> sp_version::RuntimeVersion {
            unreachable!()
        }

        fn execute_block(_: <Block as BlockT>::LazyBlock) {
            unreachable!()
        }

        fn initialize_block(_: &<Block as BlockT>::Header) -> ExtrinsicInclusionMode {
            unreachable!()
        }
    }

    impl sp_api::Metadata<Block> for Runtime {
        fn metadata() -> OpaqueMetadata {
            unreachable!()
        }

        fn metadata_at_version(_: u32) -> Option<OpaqueMetadata> {
            unreachable!()
        }

        fn metadata_versions() -> Vec<u32> {
            unreachable!()
        }
    }

    impl sp_block_builder::BlockBuilder<Block> for Runtime {
        fn apply_extrinsic(_: <Block as BlockT>::Extrinsic) -> ApplyExtrinsicResult {
            unreachable!()
        }

        fn finalize_block() -> <Block as BlockT>::Header {
            unreachable!()
        }

        fn inherent_extrinsics(_: sp_inherents::InherentData) -> Vec<<Block as BlockT>::Extrinsic> {
            unreachable!()
        }

        fn check_inherents(
            _: <Block as BlockT>::LazyBlock,
            _: sp_inherents::InherentData,
        ) -> sp_inherents::CheckInherentsResult {
            unreachable!()
        }
    }

    impl sp_transaction_pool::runtime_api::TaggedTransactionQueue<Block> for Runtime {
        fn validate_transaction(
            _: TransactionSource,
            _: <Block as BlockT>::Extrinsic,
            _: <Block as BlockT>::Hash,
        ) -> TransactionValidity {
            unreachable!()
        }
    }

    impl sp_consensus_aura::AuraApi<Block, AuraId> for Runtime {
        fn slot_duration() -> sp_consensus_aura::SlotDuration {
            unreachable!()
        }

        fn authorities() -> Vec<AuraId> {
            unreachable!()
        }
    }

    impl sp_consensus_grandpa::GrandpaApi<Block> for Runtime {
        fn grandpa_authorities() -> sp_consensus_grandpa::AuthorityList {
            unreachable!()
        }

        fn current_set_id() -> sp_consensus_grandpa::SetId {
            unreachable!()
        }

        fn submit_report_equivocation_unsigned_extrinsic(
            _: sp_consensus_grandpa::EquivocationProof<<Block as BlockT>::Hash, NumberFor<Block>>,
            _: sp_consensus_grandpa::OpaqueKeyOwnershipProof,
        ) -> Option<()> {
            unreachable!()
        }

        fn generate_key_ownership_proof(
            _: sp_consensus_grandpa::SetId,
            _: sp_consensus_grandpa::AuthorityId,
        ) -> Option<sp_consensus_grandpa::OpaqueKeyOwnershipProof> {
            unreachable!()
        }
    }

    impl sp_session::SessionKeys<Block> for Runtime {
        fn generate_session_keys(_: Vec<u8>, _: Option<Vec<u8>>) -> sp_session::OpaqueGeneratedSessionKeys {
            unreachable!()
        }

        fn decode_session_keys(_: Vec<u8>) -> Option<Vec<(Vec<u8>, KeyTypeId)>> {
            unreachable!()
        }
    }

    impl frame_system_rpc_runtime_api::AccountNonceApi<Block, AccountId, Nonce> for Runtime {
        fn account_nonce(_: AccountId) -> Nonce {
            unreachable!()
        }
    }

    impl pallet_transaction_payment_rpc_runtime_api::TransactionPaymentApi<Block, Balance> for Runtime {
        fn query_info(
            _: <Block as BlockT>::Extrinsic,
            _: u32,
        ) -> pallet_transaction_payment_rpc_runtime_api::RuntimeDispatchInfo<Balance> {
            unreachable!()
        }

        fn query_fee_details(
            _: <Block as BlockT>::Extrinsic,
            _: u32,
        ) -> pallet_transaction_payment_rpc_runtime_api::FeeDetails<Balance> {
            unreachable!()
        }

        fn query_weight_to_fee(_: Weight) -> Balance {
            unreachable!()
        }

        fn query_length_to_fee(_: u32) -> Balance {
            unreachable!()
        }
    }
}
