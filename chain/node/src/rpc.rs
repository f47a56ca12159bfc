//! The JSON-RPC methods beside those that every node has (`system`, `author`, `chain`, `state`).

use jsonrpsee::{server::RegisterMethodError, RpcModule};
use pallet_transaction_payment_rpc::{TransactionPayment, TransactionPaymentApiServer};
use sc_consensus_grandpa::{FinalityProofProvider, LinkHalf, SharedVoterState};
use sc_consensus_grandpa_rpc::{Grandpa, GrandpaApiServer};
use sc_rpc::SubscriptionTaskExecutor;
use std::sync::Arc;
use substrate_frame_rpc_system::{System, SystemApiServer};

use crate::{
    runtime_api::Block,
    service::{Backend, Client, Pool, SelectChain},
};

/// The answers about GRANDPA: the votes of its rounds, its justifications, and proofs of finality.
pub struct Finality {
    authority_set: sc_consensus_grandpa::SharedAuthoritySet<sp_core::H256, u32>,
    justifications: sc_consensus_grandpa::GrandpaJustificationStream<Block>,
    proofs: Arc<FinalityProofProvider<Backend, Block>>,
    votes: SharedVoterState,
}

impl Finality {
    /// Takes what it needs from the voter's link before the voter takes the link.
    pub fn of(link: &LinkHalf<Block, Client, SelectChain>, backend: Arc<Backend>, votes: SharedVoterState) -> Self {
        let authority_set = link.shared_authority_set().clone();
        let proofs = FinalityProofProvider::new_for_service(backend, Some(authority_set.clone()));
        Self { authority_set, justifications: link.justification_stream(), proofs, votes }
    }

    fn methods(&self, executor: SubscriptionTaskExecutor) -> RpcModule<impl Send + Sync + 'static> {
        Grandpa::new(
            executor,
            self.authority_set.clone(),
            self.votes.clone(),
            self.justifications.clone(),
            self.proofs.clone(),
        )
        .into_rpc()
    }
}

/// Puts together the account's nonce, what a call costs, and finality.
pub fn methods(
    client: &Arc<Client>,
    pool: &Arc<Pool>,
    finality: &Finality,
    executor: SubscriptionTaskExecutor,
) -> Result<RpcModule<()>, RegisterMethodError> {
    let mut module = RpcModule::new(());
    module.merge(System::<_, _, Block>::new(client.clone(), pool.clone()).into_rpc())?;
    module.merge(TransactionPayment::<_, Block>::new(client.clone()).into_rpc())?;
    module.merge(finality.methods(executor))?;
    Ok(module)
}
