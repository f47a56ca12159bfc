//! Queries of one registry's schemas by their participants.

use alloc::{
    collections::{BTreeMap, BTreeSet},
    vec::Vec,
};
use codec::{Decode, DecodeWithMemTracking, Encode};
use pallet_did::Did;
use scale_info::TypeInfo;
use sp_core::H256;

use super::{
    filter::{Filter, Places},
    Page, QueryError, Reads, Role,
};
use crate::{
    limits::{MAX_IDS, MAX_METADATA},
    Config, Entries, EntriesByDid, Entry, Pallet, Prices, Schemas, Standings,
};

/// A schema of a registry, with its issuers, their delegates and its listed verifiers.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, PartialEq, TypeInfo)]
pub struct SchemaMetadata {
    /// The schema.
    pub id: H256,
    /// Whether anyone may verify the schema.
    pub public: bool,
    /// Issuers and their delegates, ascending.
    pub issuers: Vec<IssuerInfo>,
    /// Listed verifiers, ascending.
    pub verifiers: Vec<VerifierInfo>,
}

/// An issuer of a schema, or a delegate of one.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, PartialEq, TypeInfo)]
pub struct IssuerInfo {
    /// The DID.
    pub did: Did,
    /// Its prices, if it is listed itself; none if it issues as a delegate only.
    pub prices: Option<Prices>,
    /// Issuers of this schema that delegate to it, ascending.
    pub delegated_by: Vec<Did>,
    /// Whether it is suspended, in all its roles.
    pub suspended: bool,
}

/// A listed verifier of a schema.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, PartialEq, TypeInfo)]
pub struct VerifierInfo {
    /// The DID.
    pub did: Did,
    /// Whether it is suspended, in all its roles.
    pub suspended: bool,
}

impl<T: Config> Pallet<T> {
    pub(crate) fn find_schemas(
        filter: &Filter,
        registry_id: H256,
        cursor: Option<H256>,
    ) -> Result<Page<H256>, QueryError> {
        Self::schemas_page(filter, registry_id, cursor, MAX_IDS)
    }

    /// Finds schemas with their participants. A page ends early if its next schema would be too much to read.
    pub(crate) fn find_schemas_metadata(
        filter: &Filter,
        registry_id: H256,
        cursor: Option<H256>,
    ) -> Result<Page<SchemaMetadata>, QueryError> {
        let page = Self::schemas_page(filter, registry_id, cursor, MAX_METADATA)?;
        let mut reads = Reads::new();
        let mut list: Vec<SchemaMetadata> = Vec::new();
        for schema_id in &page.list {
            match (Self::schema_metadata(registry_id, *schema_id, &mut reads), list.last()) {
                (Ok(metadata), _) => list.push(metadata),
                (Err(refusal), None) => return Err(refusal),
                (Err(_), Some(last)) => return Ok(Page { next: Some(last.id), list }),
            }
        }
        Ok(page.with(list))
    }

    fn schemas_page(
        filter: &Filter,
        registry_id: H256,
        cursor: Option<H256>,
        most: u32,
    ) -> Result<Page<H256>, QueryError> {
        if filter.is_empty() {
            return Ok(Page::empty());
        }
        let mut reads = Reads::new();
        let mut places = Places::new();
        for did in filter.dids() {
            Self::add_schemas_of(registry_id, &did, &mut places, &mut reads)?;
        }
        let named = filter.schema_ids.iter().flat_map(|field| field.ids());
        let there = named.filter(|schema_id| Schemas::<T>::contains_key(registry_id, schema_id)).copied().collect();
        Ok(Page::of(filter.matching(&places, there), cursor, most as usize))
    }

    /// Adds the schemas of a registry in which a DID is, in each of its roles.
    fn add_schemas_of(registry_id: H256, did: &Did, places: &mut Places, reads: &mut Reads) -> Result<(), QueryError> {
        for (schema_id, entry) in Self::entries_of(registry_id, did, reads)? {
            if entry.issuer.is_some() {
                places.insert((schema_id, did.clone(), Role::Issuer));
            }
            if entry.verifier {
                places.insert((schema_id, did.clone(), Role::Verifier));
            }
        }
        for issuer in Self::delegators(registry_id, did, reads)? {
            let issued = Self::entries_of(registry_id, &issuer, reads)?.into_iter();
            let issued = issued.filter(|(_, entry)| entry.issuer.is_some());
            places.extend(issued.map(|(schema_id, _)| (schema_id, did.clone(), Role::Issuer)));
        }
        Ok(())
    }

    fn entries_of(registry_id: H256, did: &Did, reads: &mut Reads) -> Result<Vec<(H256, Entry)>, QueryError> {
        let schemas: Vec<H256> = reads.all(EntriesByDid::<T>::iter_key_prefix((did, registry_id)))?;
        let entry = |schema_id| Entries::<T>::get((registry_id, schema_id, did)).map(|entry| (schema_id, entry));
        reads.all(schemas.into_iter().filter_map(entry))
    }

    fn schema_metadata(registry_id: H256, schema_id: H256, reads: &mut Reads) -> Result<SchemaMetadata, QueryError> {
        let entries: BTreeMap<Did, Entry> = reads.all(Entries::<T>::iter_prefix((registry_id, schema_id)))?;
        let mut standings = BTreeMap::new();
        let mut delegated: BTreeMap<Did, BTreeSet<Did>> = BTreeMap::new();
        for (did, entry) in &entries {
            reads.one()?;
            let standing = Standings::<T>::get(registry_id, did);
            if entry.issuer.is_some() {
                for delegate in standing.delegates.iter() {
                    delegated.entry(delegate.clone()).or_default().insert(did.clone());
                }
            }
            standings.insert(did.clone(), standing.suspended);
        }
        for delegate in delegated.keys().filter(|delegate| !entries.contains_key(delegate)) {
            reads.one()?;
            standings.insert(delegate.clone(), Standings::<T>::get(registry_id, delegate).suspended);
        }

        let suspended = |did: &Did| standings.get(did).copied().unwrap_or_default();
        let listed = entries.iter().filter(|(_, entry)| entry.issuer.is_some()).map(|(did, _)| did);
        let issuers: BTreeSet<&Did> = listed.chain(delegated.keys()).collect();
        let issuer = |did: &Did| IssuerInfo {
            did: did.clone(),
            prices: entries.get(did).and_then(|entry| entry.issuer.clone()),
            delegated_by: delegated.get(did).into_iter().flatten().cloned().collect(),
            suspended: suspended(did),
        };
        let verifiers = entries.iter().filter(|(_, entry)| entry.verifier);
        Ok(SchemaMetadata {
            id: schema_id,
            public: Schemas::<T>::get(registry_id, schema_id).is_some_and(|schema| schema.public),
            issuers: issuers.into_iter().map(issuer).collect(),
            verifiers: verifiers.map(|(did, _)| VerifierInfo { did: did.clone(), suspended: suspended(did) }).collect(),
        })
    }
}
