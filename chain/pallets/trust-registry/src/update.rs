//! Form of a change of a registry's schemas. Keys are sorted and unique.

use alloc::{
    collections::{BTreeMap, BTreeSet},
    vec::Vec,
};
use codec::{Decode, DecodeWithMemTracking, Encode};
use pallet_did::Did;
use scale_info::TypeInfo;
use sp_core::H256;

use crate::PricesInput;

/// A change of the schemas of a registry.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, PartialEq, TypeInfo)]
pub enum SchemasUpdate {
    /// Replaces all schemas by these. Needs the registry's version.
    #[codec(index = 0)]
    Set(BTreeMap<H256, Metadata>),
    /// Changes the named schemas, each in its own way.
    #[codec(index = 1)]
    Modify(BTreeMap<H256, SchemaOp>),
}

/// All participants of a schema.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Default, Encode, Eq, PartialEq, TypeInfo)]
pub struct Metadata {
    /// Issuers, with their prices.
    pub issuers: BTreeMap<Did, PricesInput>,
    /// Listed verifiers. None means that nobody may verify; the empty set means that anyone may, so the schema is
    /// public.
    pub verifiers: Option<BTreeSet<Did>>,
}

/// A change of one schema.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, PartialEq, TypeInfo)]
pub enum SchemaOp {
    /// Replaces all participants of a schema by these, and adds the schema if it is missing. Needs the registry's
    /// version.
    #[codec(index = 0)]
    Set(Metadata),
    /// Adds a schema that is not there yet.
    #[codec(index = 1)]
    Add(Metadata),
    /// Removes a schema that is there, with its participants.
    #[codec(index = 2)]
    Remove,
    /// Changes the participants of a schema that is there.
    #[codec(index = 3)]
    Modify(MetadataUpdate),
    /// Changes the participants of a schema, which is added if it is missing.
    #[codec(index = 4)]
    Ensure(MetadataUpdate),
    /// Removes the schema, with its participants, if it is there.
    #[codec(index = 5)]
    Discard,
}

/// A change of the participants of a schema.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Default, Encode, Eq, PartialEq, TypeInfo)]
pub struct MetadataUpdate {
    /// Changes of issuers.
    pub issuers: Option<IssuersUpdate>,
    /// Changes of verifiers.
    pub verifiers: Option<VerifiersUpdate>,
}

/// A change of the issuers of a schema.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, PartialEq, TypeInfo)]
pub enum IssuersUpdate {
    /// Replaces all issuers by these. Needs the registry's version.
    #[codec(index = 0)]
    Set(BTreeMap<Did, PricesInput>),
    /// Changes the named issuers, each in its own way.
    #[codec(index = 1)]
    Modify(BTreeMap<Did, IssuerOp>),
}

/// A change of one issuer.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, PartialEq, TypeInfo)]
pub enum IssuerOp {
    /// Replaces all prices of an issuer by these, and lists the issuer if it is not listed.
    #[codec(index = 0)]
    Set(PricesInput),
    /// Lists an issuer that is not listed yet.
    #[codec(index = 1)]
    Add(PricesInput),
    /// Removes an issuer that is listed.
    #[codec(index = 2)]
    Remove,
    /// Changes prices of an issuer that is listed.
    #[codec(index = 3)]
    Modify(BTreeMap<Vec<u8>, PriceOp>),
    /// Lists the issuer if it is not listed. Prices that it has are kept.
    #[codec(index = 4)]
    Ensure,
    /// Removes the issuer if it is listed.
    #[codec(index = 5)]
    Discard,
}

/// A change of one price.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, PartialEq, TypeInfo)]
pub enum PriceOp {
    /// Sets the price.
    #[codec(index = 0)]
    Set(u128),
    /// Adds a price in a currency that has none yet.
    #[codec(index = 1)]
    Add(u128),
    /// Removes a price that is there.
    #[codec(index = 2)]
    Remove,
}

/// A change of the verifiers of a schema.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, PartialEq, TypeInfo)]
pub enum VerifiersUpdate {
    /// Replaces all verifiers by these; the empty set makes the schema public. Needs the registry's version.
    #[codec(index = 0)]
    Set(BTreeSet<Did>),
    /// Changes the named verifiers, each in its own way.
    #[codec(index = 1)]
    Modify(BTreeMap<Did, VerifierOp>),
}

/// A change of one verifier.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, PartialEq, TypeInfo)]
pub enum VerifierOp {
    /// Lists a verifier that is not listed yet.
    #[codec(index = 0)]
    Add,
    /// Removes a verifier that is listed.
    #[codec(index = 1)]
    Remove,
    /// Lists the verifier if it is not listed.
    #[codec(index = 2)]
    Ensure,
    /// Removes the verifier if it is listed.
    #[codec(index = 3)]
    Discard,
}

/// A change of an issuer's delegates.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, PartialEq, TypeInfo)]
pub enum DelegatedUpdate {
    /// Replaces all delegates by these.
    #[codec(index = 0)]
    Set(BTreeSet<Did>),
    /// Changes the named delegates, each in its own way.
    #[codec(index = 1)]
    Modify(BTreeMap<Did, DelegateOp>),
}

/// A change of one delegate.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, PartialEq, TypeInfo)]
pub enum DelegateOp {
    /// Adds a delegate that is not there yet.
    #[codec(index = 0)]
    Add,
    /// Removes a delegate that is there.
    #[codec(index = 1)]
    Remove,
}
