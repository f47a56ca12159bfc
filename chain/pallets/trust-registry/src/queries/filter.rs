//! Filters of registries and schemas.

use alloc::collections::BTreeSet;
use codec::{Decode, DecodeWithMemTracking, Encode};
use frame_support::{traits::ConstU32, BoundedBTreeSet};
use pallet_did::Did;
use scale_info::TypeInfo;
use sp_core::H256;

use super::Role;
use crate::limits::MAX_ANY_OF;

/// One field of a filter.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, PartialEq, TypeInfo)]
pub enum FilterBy<Id: Ord> {
    /// Matches places that have at least one of these ids. There are at most 64 of them.
    #[codec(index = 0)]
    AnyOf(BoundedBTreeSet<Id, ConstU32<MAX_ANY_OF>>),
}

/// Conditions on registries or schemas: each field that is given must match. A filter without a field, or with a field
/// that names nothing, finds nothing; unknown ids match nothing.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Default, Encode, Eq, PartialEq, TypeInfo)]
pub struct Filter {
    /// One of these DIDs issues there, as a listed issuer or as a delegate.
    pub issuers: Option<FilterBy<Did>>,
    /// One of these DIDs is listed as a verifier there. A public schema lists nobody.
    pub verifiers: Option<FilterBy<Did>>,
    /// One of these DIDs is there in either role.
    pub issuers_or_verifiers: Option<FilterBy<Did>>,
    /// One of these schemas is there.
    pub schema_ids: Option<FilterBy<H256>>,
}

/// Places (registries, or schemas of one registry), each with a DID that is there and its role.
pub type Places = BTreeSet<(H256, Did, Role)>;

impl<Id: Clone + Ord> FilterBy<Id> {
    /// A field with a single id.
    pub fn one(id: Id) -> Self {
        let mut ids = BoundedBTreeSet::new();
        let _ = ids.try_insert(id);
        Self::AnyOf(ids)
    }

    /// The ids that the field names.
    pub fn ids(&self) -> &BTreeSet<Id> {
        let Self::AnyOf(ids) = self;
        ids
    }
}

impl Filter {
    /// Matches places where a DID issues.
    pub fn issuer(did: Did) -> Self {
        Self { issuers: Some(FilterBy::one(did)), ..Self::default() }
    }

    /// Matches places where a DID is listed as a verifier.
    pub fn verifier(did: Did) -> Self {
        Self { verifiers: Some(FilterBy::one(did)), ..Self::default() }
    }

    /// Whether the filter asks for nothing.
    pub fn is_empty(&self) -> bool {
        let dids = [&self.issuers, &self.verifiers, &self.issuers_or_verifiers];
        let fields = dids.into_iter().flatten().map(|field| field.ids().len());
        let sizes: alloc::vec::Vec<_> = fields.chain(self.schema_ids.iter().map(|field| field.ids().len())).collect();
        sizes.is_empty() || sizes.contains(&0)
    }

    /// All DIDs that the filter names, in any role.
    pub fn dids(&self) -> BTreeSet<Did> {
        let fields = [&self.issuers, &self.verifiers, &self.issuers_or_verifiers];
        fields.into_iter().flatten().flat_map(|field| field.ids().iter().cloned()).collect()
    }

    /// Whether the filter names a DID in a role.
    pub fn names(&self, did: &Did, role: Role) -> bool {
        let own = match role {
            Role::Issuer => &self.issuers,
            Role::Verifier => &self.verifiers,
        };
        [own, &self.issuers_or_verifiers].into_iter().flatten().any(|field| field.ids().contains(did))
    }

    /// Returns the places that match. `places` are those of the filter's DIDs, `schema_places` those of its schemas.
    pub fn matching(&self, places: &Places, schema_places: BTreeSet<H256>) -> BTreeSet<H256> {
        let with = |field: &FilterBy<Did>, roles: &[Role]| -> BTreeSet<H256> {
            let fits = |(_, did, role): &&(H256, Did, Role)| roles.contains(role) && field.ids().contains(did);
            places.iter().filter(fits).map(|(place, _, _)| *place).collect()
        };
        let fields = [
            self.issuers.as_ref().map(|field| with(field, &[Role::Issuer])),
            self.verifiers.as_ref().map(|field| with(field, &[Role::Verifier])),
            self.issuers_or_verifiers.as_ref().map(|field| with(field, &[Role::Issuer, Role::Verifier])),
            self.schema_ids.as_ref().map(|_| schema_places),
        ];
        fields.into_iter().flatten().reduce(|left, right| &left & &right).unwrap_or_default()
    }
}
