//! State of a DID as a whole, and the authorisation of its actions.

use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use scale_info::TypeInfo;

/// The state of a DID.
#[derive(Clone, Debug, Decode, Encode, Eq, MaxEncodedLen, PartialEq, TypeInfo)]
pub enum DidState {
    /// In use.
    #[codec(index = 0)]
    Active(DidRecord),
    /// Deactivated permanently; the id is never used again.
    #[codec(index = 1)]
    Deactivated,
}

/// Counts of an active DID.
#[derive(Clone, Debug, Decode, Default, Encode, Eq, MaxEncodedLen, PartialEq, TypeInfo)]
pub struct DidRecord {
    /// The highest key number given so far, of any kind; numbers start at 1 and are never given twice.
    pub last_key: u32,
    /// Keys in use.
    pub keys: u32,
    /// Keys in use that control the DID: Ed25519 with capabilityInvocation.
    pub control_keys: u32,
    /// Controllers besides itself.
    pub controllers: u32,
    /// Services.
    pub services: u32,
}

impl DidRecord {
    /// Whether anybody can still change the DID.
    pub fn is_controlled(&self) -> bool {
        self.control_keys > 0 || self.controllers > 0
    }
}

/// The permission of a DID to act, given by one of its keys.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, PartialEq, TypeInfo)]
pub struct Authorization {
    /// The DID that acts.
    pub did: crate::Did,
    /// The number of the key that signs; 0 for a `did:key`.
    pub key_id: u32,
    /// The actor's last nonce plus one.
    pub nonce: u32,
    /// Last instant at which the action may start, in milliseconds since 1970; at most one hour ahead.
    pub valid_until: u64,
    /// Ed25519 over the action payload.
    pub signature: [u8; 64],
}
