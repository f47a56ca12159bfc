//! What is kept about a registry, its schemas and its participants.

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
/// Where a registry's governance framework is, and its digest.
pub type GovFramework = BoundedVec<u8, ConstU32<MAX_GOV_FRAMEWORK>>;
/// The DIDs to which an issuer delegates.
pub type Delegates = BoundedBTreeSet<Did, ConstU32<MAX_DELEGATES>>;

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

/// A trust registry.
#[derive(Clone, Debug, Decode, Encode, Eq, MaxEncodedLen, PartialEq, TypeInfo)]
pub struct Registry {
    /// Who decides.
    pub convener: Did,
    /// Its name.
    pub name: Name,
    /// Its governance reference.
    pub gov_framework: GovFramework,
    /// Grows by one with each call that changed schemas.
    pub version: u32,
    /// Schemas.
    pub schemas: u32,
    /// Pairs of schema and participant.
    pub entries: u32,
    /// DIDs that issue at least one schema.
    pub issuers: u32,
    /// DIDs that are listed as verifiers of at least one schema.
    pub verifiers: u32,
}

/// A schema in a registry.
#[derive(Clone, Debug, Decode, Default, Encode, Eq, MaxEncodedLen, PartialEq, TypeInfo)]
pub struct Schema {
    /// Whether anyone may verify.
    pub public: bool,
    /// Participants.
    pub entries: u32,
    /// Issuers among them.
    pub issuers: u32,
    /// Verifiers among them.
    pub verifiers: u32,
    /// Issuers that ask for a price.
    pub priced: u32,
}

/// What a DID may do in a schema of a registry.
#[derive(Clone, Debug, Decode, Default, Encode, Eq, MaxEncodedLen, PartialEq, TypeInfo)]
pub struct Entry {
    /// Prices where it may issue.
    pub issuer: Option<Prices>,
    /// Whether it is listed as a verifier.
    pub verifier: bool,
}

/// How a DID stands in a registry, over all its schemas.
#[derive(Clone, Debug, Decode, Default, Encode, Eq, MaxEncodedLen, PartialEq, TypeInfo)]
pub struct Standing {
    /// Schemas that it may issue.
    pub issuer_schemas: u32,
    /// Schemas of which it is listed as a verifier.
    pub verifier_schemas: u32,
    /// Whether it is suspended, in all its roles.
    pub suspended: bool,
    /// To whom it delegates issuing.
    pub delegates: Delegates,
}
