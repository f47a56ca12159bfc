//! How a change of a registry's schemas is written. Keys are sorted and unique.

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
    /// Exactly these schemas. Needs the registry's version.
    #[codec(index = 0)]
    Set(BTreeMap<H256, Metadata>),
    /// The named schemas, each in its way.
    #[codec(index = 1)]
    Modify(BTreeMap<H256, SchemaOp>),
}

/// All participants of a schema.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Default, Encode, Eq, PartialEq, TypeInfo)]
pub struct Metadata {
    /// Who may issue, at which prices.
    pub issuers: BTreeMap<Did, PricesInput>,
    /// Who may verify. None: nobody. The empty set: anyone, the schema is public.
    pub verifiers: Option<BTreeSet<Did>>,
}

/// A change of one schema.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, PartialEq, TypeInfo)]
pub enum SchemaOp {
    /// Exactly these participants, whether the schema is there or not. Needs the registry's version.
    #[codec(index = 0)]
    Set(Metadata),
    /// A schema that is not there yet.
    #[codec(index = 1)]
    Add(Metadata),
    /// Takes the schema and its participants away.
    #[codec(index = 2)]
    Remove,
    /// Changes the participants of a schema that is there.
    #[codec(index = 3)]
    Modify(MetadataUpdate),
    /// Changes the participants of a schema, which is added where it is missing.
    #[codec(index = 4)]
    Ensure(MetadataUpdate),
    /// Takes the schema away where it is there.
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
    /// Exactly these issuers. Needs the registry's version.
    #[codec(index = 0)]
    Set(BTreeMap<Did, PricesInput>),
    /// The named issuers, each in its way.
    #[codec(index = 1)]
    Modify(BTreeMap<Did, IssuerOp>),
}

/// A change of one issuer.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, PartialEq, TypeInfo)]
pub enum IssuerOp {
    /// Exactly these prices, whether the issuer is listed or not.
    #[codec(index = 0)]
    Set(PricesInput),
    /// An issuer that is not listed yet.
    #[codec(index = 1)]
    Add(PricesInput),
    /// An issuer that is listed leaves.
    #[codec(index = 2)]
    Remove,
    /// Changes prices of an issuer that is listed.
    #[codec(index = 3)]
    Modify(BTreeMap<Vec<u8>, PriceOp>),
    /// The issuer is listed afterwards; prices it has are kept.
    #[codec(index = 4)]
    Ensure,
    /// The issuer is not listed afterwards.
    #[codec(index = 5)]
    Discard,
}

/// A change of one price.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, PartialEq, TypeInfo)]
pub enum PriceOp {
    /// The price from now on.
    #[codec(index = 0)]
    Set(u128),
    /// A price in a currency that has none yet.
    #[codec(index = 1)]
    Add(u128),
    /// Takes a price away.
    #[codec(index = 2)]
    Remove,
}

/// A change of the verifiers of a schema.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, PartialEq, TypeInfo)]
pub enum VerifiersUpdate {
    /// Exactly these verifiers; the empty set makes the schema public. Needs the registry's version.
    #[codec(index = 0)]
    Set(BTreeSet<Did>),
    /// The named verifiers, each in its way.
    #[codec(index = 1)]
    Modify(BTreeMap<Did, VerifierOp>),
}

/// A change of one verifier.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, PartialEq, TypeInfo)]
pub enum VerifierOp {
    /// A verifier that is not listed yet.
    #[codec(index = 0)]
    Add,
    /// A verifier that is listed leaves.
    #[codec(index = 1)]
    Remove,
    /// The verifier is listed afterwards.
    #[codec(index = 2)]
    Ensure,
    /// The verifier is not listed afterwards.
    #[codec(index = 3)]
    Discard,
}

/// A change of an issuer's delegates.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, PartialEq, TypeInfo)]
pub enum DelegatedUpdate {
    /// Exactly these delegates.
    #[codec(index = 0)]
    Set(BTreeSet<Did>),
    /// The named delegates, each in its way.
    #[codec(index = 1)]
    Modify(BTreeMap<Did, DelegateOp>),
}

/// A change of one delegate.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, PartialEq, TypeInfo)]
pub enum DelegateOp {
    /// A delegate that is not named yet.
    #[codec(index = 0)]
    Add,
    /// A delegate that is named no longer is.
    #[codec(index = 1)]
    Remove,
}
