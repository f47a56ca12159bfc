//! What is kept about a revocation registry.

use alloc::vec::Vec;
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use frame_support::{traits::ConstU32, BoundedBTreeSet, BoundedVec};
use pallet_did::Did;
use scale_info::TypeInfo;

use crate::limits::{MAX_ACCUMULATOR_FIELD, MAX_LENGTH, MAX_POLICY, MIN_LENGTH};

/// Any one of these DIDs may change the registry.
pub type Policy = BoundedBTreeSet<Did, ConstU32<MAX_POLICY>>;
/// A public key or a value of an accumulator.
pub type AccumulatorField = BoundedVec<u8, ConstU32<MAX_ACCUMULATOR_FIELD>>;

/// How a registry says what is revoked, as it is asked for.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, PartialEq, TypeInfo)]
pub enum KindInput {
    /// One bit for each index.
    #[codec(index = 0)]
    StatusList {
        /// Bits: a multiple of 8 from 131,072 to 1,048,576.
        length: u32,
    },
    /// A value that members prove to be part of.
    #[codec(index = 1)]
    Accumulator {
        /// The key under which members prove.
        public_key: Vec<u8>,
        /// The first value.
        accumulated: Vec<u8>,
    },
}

/// How a registry says what is revoked.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, MaxEncodedLen, PartialEq, TypeInfo)]
pub enum Kind {
    /// One bit for each index.
    #[codec(index = 0)]
    StatusList {
        /// Bits.
        length: u32,
    },
    /// A value that members prove to be part of.
    #[codec(index = 1)]
    Accumulator {
        /// The key under which members prove.
        public_key: AccumulatorField,
        /// The value.
        accumulated: AccumulatorField,
    },
}

impl KindInput {
    /// The kind, where its sizes are allowed.
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

/// A public key or value, where it is neither empty nor too long.
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
    /// Removed for ever; the id is never used again.
    #[codec(index = 1)]
    Removed,
}

/// A revocation registry.
#[derive(Clone, Debug, Decode, Encode, Eq, MaxEncodedLen, PartialEq, TypeInfo)]
pub struct Registry {
    /// Who may change it, for ever.
    pub policy: Policy,
    /// Whether what is revoked stays revoked, and the registry stays.
    pub add_only: bool,
    /// How it says what is revoked.
    pub kind: Kind,
    /// Grows by one with each call that changed something.
    pub version: u32,
}
