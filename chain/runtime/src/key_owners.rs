//! Proofs of whose a key of finality was.
//!
//! The session pallet proves by the keys that validators have set for the next session. A validator that sets others
//! could vote twice with those of the present one and nobody could prove whose they are; so the present ones, which the
//! pallets of blocks and of finality hold in the order of the validators, stand in their place meanwhile.

use frame_support::{
    storage::{with_transaction, TransactionOutcome},
    traits::KeyOwnerProofSystem,
};
use pallet_grandpa::PendingChange;
use pallet_session::{historical::IdentificationTuple, NextKeys, Validators};
use sp_consensus_grandpa::AuthorityId;
use sp_core::crypto::KeyTypeId;
use sp_runtime::DispatchError;
use sp_session::MembershipProof;

use crate::{Grandpa, Historical, Runtime, SessionKeys};

/// The owners of the keys of finality, by session.
pub struct KeyOwners;

impl KeyOwnerProofSystem<(KeyTypeId, AuthorityId)> for KeyOwners {
    type Proof = MembershipProof;
    type IdentificationTuple = IdentificationTuple<Runtime>;

    fn prove(key: (KeyTypeId, AuthorityId)) -> Option<MembershipProof> {
        with_present_keys(|| Historical::prove(key))
    }

    fn check_proof(key: (KeyTypeId, AuthorityId), proof: MembershipProof) -> Option<Self::IdentificationTuple> {
        with_present_keys(|| Historical::check_proof(key, proof))
    }
}

/// Answers with the keys of the present session as those that validators have set, and leaves everything as it was.
/// While a change of the authorities waits for its block, theirs are not those of the present validators.
fn with_present_keys<Answer>(answer: impl FnOnce() -> Option<Answer>) -> Option<Answer> {
    if PendingChange::<Runtime>::exists() {
        return answer();
    }
    let rolled_back = with_transaction(|| {
        let authors = pallet_aura::Authorities::<Runtime>::get();
        let voters = Grandpa::grandpa_authorities();
        for ((validator, aura), (grandpa, _)) in Validators::<Runtime>::get().into_iter().zip(authors).zip(voters) {
            NextKeys::<Runtime>::insert(validator, SessionKeys { aura, grandpa });
        }
        TransactionOutcome::Rollback(Ok::<_, DispatchError>(answer()))
    });
    rolled_back.ok().flatten()
}
