//! The primitive changes that every update of schemas is made of.

use codec::{Decode, DecodeWithMemTracking, Encode};
use pallet_did::Did;
use scale_info::TypeInfo;
use sp_core::H256;

use crate::Prices;

/// One change of one schema.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, PartialEq, TypeInfo)]
pub enum Change {
    /// The schema is added.
    #[codec(index = 0)]
    SchemaAdded {
        /// The schema.
        schema_id: H256,
    },
    /// The schema is removed, after its participants.
    #[codec(index = 1)]
    SchemaRemoved {
        /// The schema.
        schema_id: H256,
    },
    /// The schema becomes public, or is no longer public.
    #[codec(index = 2)]
    PublicSet {
        /// The schema.
        schema_id: H256,
        /// Whether anyone may verify the schema.
        public: bool,
    },
    /// An issuer is added, is removed or gets other prices.
    #[codec(index = 3)]
    Issuer {
        /// The schema.
        schema_id: H256,
        /// The issuer.
        did: Did,
        /// Prices until now, if it was listed.
        old: Option<Prices>,
        /// Prices from now on, if it is listed.
        new: Option<Prices>,
    },
    /// A verifier is added or removed.
    #[codec(index = 4)]
    Verifier {
        /// The schema.
        schema_id: H256,
        /// The verifier.
        did: Did,
        /// Whether it is listed from now on. Until now it was the opposite.
        listed: bool,
    },
}

impl Change {
    /// Returns the issuer, and by how much the number of schemas that it issues changes.
    pub fn issued_schemas(&self) -> Option<(&Did, i32)> {
        match self {
            Self::Issuer { did, old: None, new: Some(_), .. } => Some((did, 1)),
            Self::Issuer { did, old: Some(_), new: None, .. } => Some((did, -1)),
            _ => None,
        }
    }
}
