//! Stored state of a registry, its schemas and its participants.

use codec::{Decode, Encode, MaxEncodedLen};
use frame_support::{traits::ConstU32, BoundedBTreeSet, BoundedVec};
use pallet_did::Did;
use scale_info::TypeInfo;

use crate::{
    limits::{MAX_DELEGATES, MAX_GOV_FRAMEWORK, MAX_NAME},
    Prices,
};

/// A registry's name.
pub type Name = BoundedVec<u8, ConstU32<MAX_NAME>>;
/// The location of a registry's governance framework, and its digest.
pub type GovFramework = BoundedVec<u8, ConstU32<MAX_GOV_FRAMEWORK>>;
/// The DIDs to which an issuer delegates.
pub type Delegates = BoundedBTreeSet<Did, ConstU32<MAX_DELEGATES>>;

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

/// A trust registry.
#[derive(Clone, Debug, Decode, Encode, Eq, MaxEncodedLen, PartialEq, TypeInfo)]
pub struct Registry {
    /// Its convener.
    pub convener: Did,
    /// Its name.
    pub name: Name,
    /// Its governance reference.
    pub gov_framework: GovFramework,
    /// Its version, which grows by one with each call that changes schemas.
    pub version: u32,
    /// Number of schemas.
    pub schemas: u32,
    /// Number of pairs of schema and participant.
    pub entries: u32,
    /// Number of DIDs that issue at least one schema.
    pub issuers: u32,
    /// Number of DIDs that are listed as verifiers of at least one schema.
    pub verifiers: u32,
}

/// A schema in a registry.
#[derive(Clone, Debug, Decode, Default, Encode, Eq, MaxEncodedLen, PartialEq, TypeInfo)]
pub struct Schema {
    /// Whether anyone may verify the schema.
    pub public: bool,
    /// Number of participants.
    pub entries: u32,
    /// Number of issuers among them.
    pub issuers: u32,
    /// Number of verifiers among them.
    pub verifiers: u32,
    /// Number of issuers that ask for a price.
    pub priced: u32,
}

/// The roles of a DID in a schema of a registry.
#[derive(Clone, Debug, Decode, Default, Encode, Eq, MaxEncodedLen, PartialEq, TypeInfo)]
pub struct Entry {
    /// Its prices, if it is listed as an issuer.
    pub issuer: Option<Prices>,
    /// Whether it is listed as a verifier.
    pub verifier: bool,
}

/// State of a DID over all schemas of a registry.
#[derive(Clone, Debug, Decode, Default, Encode, Eq, MaxEncodedLen, PartialEq, TypeInfo)]
pub struct Standing {
    /// Number of schemas of which it is listed as an issuer.
    pub issuer_schemas: u32,
    /// Number of schemas of which it is listed as a verifier.
    pub verifier_schemas: u32,
    /// Whether it is suspended, in all its roles.
    pub suspended: bool,
    /// The DIDs to which it delegates issuing.
    pub delegates: Delegates,
}
