//! Stored state of a revocation registry.

use alloc::vec::Vec;
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use frame_support::{traits::ConstU32, BoundedBTreeSet, BoundedVec};
use pallet_did::Did;
use scale_info::TypeInfo;

use crate::limits::{MAX_ACCUMULATOR_FIELD, MAX_LENGTH, MAX_POLICY, MIN_LENGTH};

/// The DIDs that may change a registry, each of them alone.
pub type Policy = BoundedBTreeSet<Did, ConstU32<MAX_POLICY>>;
/// A public key or a value of an accumulator.
pub type AccumulatorField = BoundedVec<u8, ConstU32<MAX_ACCUMULATOR_FIELD>>;

/// The kind of a registry, by which it records what is revoked, as a call gives it.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, PartialEq, TypeInfo)]
pub enum KindInput {
    /// One bit for each index.
    #[codec(index = 0)]
    StatusList {
        /// Number of bits: a multiple of 8 from 131,072 to 1,048,576.
        length: u32,
    },
    /// A value that members prove to be part of.
    #[codec(index = 1)]
    Accumulator {
        /// The public key that members' proofs are checked with.
        public_key: Vec<u8>,
        /// The first value.
        accumulated: Vec<u8>,
    },
}

/// The kind of a registry, by which it records what is revoked.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, MaxEncodedLen, PartialEq, TypeInfo)]
pub enum Kind {
    /// One bit for each index.
    #[codec(index = 0)]
    StatusList {
        /// Number of bits.
        length: u32,
    },
    /// A value that members prove to be part of.
    #[codec(index = 1)]
    Accumulator {
        /// The public key that members' proofs are checked with.
        public_key: AccumulatorField,
        /// The value.
        accumulated: AccumulatorField,
    },
}

impl KindInput {
    /// Returns the kind if its sizes are allowed.
    pub fn bounded(self) -> Option<Kind> {
        match self {
            Self::StatusList { length } => {
                let allowed = length % 8 == 0 && (MIN_LENGTH..=MAX_LENGTH).contains(&length);
                allowed.then_some(Kind::StatusList { length })
            }
            Self::Accumulator { public_key, accumulated } => {
                Some(Kind::Accumulator { public_key: field(public_key)?, accumulated: field(accumulated)? })
            }
        }
    }
}

/// Returns a public key or value if it is neither empty nor too long.
pub(crate) fn field(bytes: Vec<u8>) -> Option<AccumulatorField> {
    if bytes.is_empty() {
        return None;
    }
    bytes.try_into().ok()
}

/// The state of a registry.
#[derive(Clone, Debug, Decode, Encode, Eq, MaxEncodedLen, PartialEq, TypeInfo)]
pub enum RegistryState {
    /// In use.
    #[codec(index = 0)]
    Active(Registry),
    /// Removed permanently; the id is never used again.
    #[codec(index = 1)]
    Removed,
}

/// A revocation registry.
#[derive(Clone, Debug, Decode, Encode, Eq, MaxEncodedLen, PartialEq, TypeInfo)]
pub struct Registry {
    /// The DIDs that may change it. They are fixed.
    pub policy: Policy,
    /// Whether what is revoked stays revoked and the registry cannot be removed.
    pub add_only: bool,
    /// Its kind, by which it records what is revoked.
    pub kind: Kind,
    /// Its version, which grows by one with each call that changes something.
    pub version: u32,
}
