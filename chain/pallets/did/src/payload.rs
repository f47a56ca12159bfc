//! The bytes that keys sign: the SCALE encoding of these structs, field by field. Each starts with a tag of its own, so
//! that a signature for one purpose is invalid for another.

use alloc::{collections::BTreeSet, vec::Vec};
use codec::{Decode, Encode};
use scale_info::TypeInfo;

use crate::{Did, DidId, KeyEntry, PublicKey, ServiceEntry};

/// First bytes of the payload that a DID's id is the hash of.
pub const ID_TAG: [u8; 18] = *b"accredit/did/id/v1";
/// First bytes of the payload that is signed to create a DID.
pub const CREATION_TAG: [u8; 22] = *b"accredit/did/create/v1";
/// First bytes of the payload that is signed to act.
pub const ACTION_TAG: [u8; 24] = *b"accredit/did/dispatch/v1";
/// First bytes of the payload that is signed to prove possession of a key.
pub const POSSESSION_TAG: [u8; 23] = *b"accredit/did/possess/v1";

/// The payload whose blake2-256 hash is the id of a DID.
#[derive(Clone, Debug, Decode, Encode, Eq, PartialEq, TypeInfo)]
pub struct IdPayload {
    /// [`ID_TAG`].
    pub tag: [u8; 18],
    /// The DID's first key.
    pub key: PublicKey,
    /// Chosen freely.
    pub salt: [u8; 32],
}

/// The payload that the first key of a new DID signs.
#[derive(Clone, Debug, Decode, Encode, Eq, PartialEq, TypeInfo)]
pub struct CreationPayload<Hash, AccountId> {
    /// [`CREATION_TAG`].
    pub tag: [u8; 22],
    /// Hash of the ledger's block 0.
    pub genesis_hash: Hash,
    /// As in the call.
    pub salt: [u8; 32],
    /// As in the call, with the relationships as given there.
    pub keys: Vec<KeyEntry>,
    /// As in the call, sorted.
    pub controllers: BTreeSet<Did>,
    /// As in the call.
    pub services: Vec<ServiceEntry>,
    /// The account that sends the creation.
    pub submitter: AccountId,
}

/// The payload that a key of the acting DID signs.
#[derive(Clone, Debug, Decode, Encode, Eq, PartialEq, TypeInfo)]
pub struct ActionPayload<Hash, AccountId, Call> {
    /// [`ACTION_TAG`].
    pub tag: [u8; 24],
    /// Hash of the ledger's block 0.
    pub genesis_hash: Hash,
    /// The runtime's transaction version.
    pub transaction_version: u32,
    /// The DID that acts.
    pub did: Did,
    /// The number of the key that signs.
    pub key_id: u32,
    /// The actor's last nonce plus one.
    pub nonce: u32,
    /// Last instant at which the action may start, in milliseconds since 1970.
    pub valid_until: u64,
    /// The account that sends the action.
    pub submitter: AccountId,
    /// The calls, with their maps and sets sorted and without duplicates.
    pub calls: Vec<Call>,
}

/// The payload that an Ed25519 key signs so that a DID can add it.
#[derive(Clone, Debug, Decode, Encode, Eq, PartialEq, TypeInfo)]
pub struct PossessionPayload<Hash> {
    /// [`POSSESSION_TAG`].
    pub tag: [u8; 23],
    /// Hash of the ledger's block 0.
    pub genesis_hash: Hash,
    /// The DID to which the key is added.
    pub did: DidId,
    /// The key.
    pub key: PublicKey,
}
