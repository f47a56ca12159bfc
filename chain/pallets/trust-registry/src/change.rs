//! The primitive changes that every update of schemas comes down to.

use codec::{Decode, DecodeWithMemTracking, Encode};
use pallet_did::Did;
use scale_info::TypeInfo;
use sp_core::H256;

use crate::Prices;

/// One change of one schema.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, PartialEq, TypeInfo)]
pub enum Change {
    /// The schema is new.
    #[codec(index = 0)]
    SchemaAdded {
        /// The schema.
        schema_id: H256,
    },
    /// The schema, whose participants are gone, goes.
    #[codec(index = 1)]
    SchemaRemoved {
        /// The schema.
        schema_id: H256,
    },
    /// Anyone may verify, or no longer.
    #[codec(index = 2)]
    PublicSet {
        /// The schema.
        schema_id: H256,
        /// Whether anyone may verify.
        public: bool,
    },
    /// An issuer comes, leaves or changes its prices.
    #[codec(index = 3)]
    Issuer {
        /// The schema.
        schema_id: H256,
        /// The issuer.
        did: Did,
        /// Prices until now, where it is listed.
        old: Option<Prices>,
        /// Prices from now on, where it is listed.
        new: Option<Prices>,
    },
    /// A verifier comes or leaves.
    #[codec(index = 4)]
    Verifier {
        /// The schema.
        schema_id: H256,
        /// The verifier.
        did: Did,
        /// Whether it is listed from now on; until now it was the other way.
        listed: bool,
    },
}

impl Change {
    /// By how much the number of schemas that an issuer issues changes.
    pub fn issued_schemas(&self) -> Option<(Did, i32)> {
        match self {
            Self::Issuer { did, old: None, new: Some(_), .. } => Some((*did, 1)),
            Self::Issuer { did, old: Some(_), new: None, .. } => Some((*did, -1)),
            _ => None,
        }
    }
}
