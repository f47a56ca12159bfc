//! Queries of registries by their participants and schemas.

use alloc::{collections::BTreeSet, vec::Vec};
use codec::{Decode, DecodeWithMemTracking, Encode};
use pallet_did::Did;
use scale_info::TypeInfo;
use sp_core::H256;

use super::{
    filter::{Filter, Places},
    Page, QueryError, Reads, Role,
};
use crate::{
    limits::{MAX_IDS, MAX_INFOS},
    Config, Delegations, EntriesByDid, GovFramework, Name, Pallet, RegistriesBySchema, Standings,
};

/// A registry, with the roles of the filter's DIDs there.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, PartialEq, TypeInfo)]
pub struct RegistryInfo {
    /// The registry.
    pub id: H256,
    /// Its convener.
    pub convener: Did,
    /// Its name.
    pub name: Name,
    /// Its governance reference.
    pub gov_framework: GovFramework,
    /// Number of calls that changed its schemas.
    pub version: u32,
    /// The DIDs that the filter names, each in the roles that the filter asks for and that it has.
    pub matches: Vec<Participation>,
}

/// One role of a DID in a registry.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, PartialEq, TypeInfo)]
pub struct Participation {
    /// The DID.
    pub did: Did,
    /// Its role.
    pub role: Role,
    /// Whether it is listed itself.
    pub direct: bool,
    /// The issuers that delegate to it, ascending.
    pub delegated_by: Vec<Did>,
    /// Whether it is suspended, in all its roles.
    pub suspended: bool,
}

impl<T: Config> Pallet<T> {
    pub(crate) fn find_registries(filter: &Filter, cursor: Option<H256>) -> Result<Page<H256>, QueryError> {
        Ok(Self::registries_page(filter, cursor, MAX_IDS, &mut Reads::new())?.0)
    }

    pub(crate) fn find_registries_info(
        filter: &Filter,
        cursor: Option<H256>,
    ) -> Result<Page<RegistryInfo>, QueryError> {
        let mut reads = Reads::new();
        let (page, places) = Self::registries_page(filter, cursor, MAX_INFOS, &mut reads)?;
        let mut infos = Vec::new();
        for id in &page.list {
            let Ok(registry) = Self::registry(*id) else { continue };
            let mut matches = Vec::new();
            for (_, did, role) in places.iter().filter(|(place, did, role)| place == id && filter.names(did, *role)) {
                matches.push(Self::participation(*id, did.clone(), *role, &mut reads)?);
            }
            let crate::Registry { convener, name, gov_framework, version, .. } = registry;
            infos.push(RegistryInfo { id: *id, convener, name, gov_framework, version, matches });
        }
        Ok(page.with(infos))
    }

    fn registries_page(
        filter: &Filter,
        cursor: Option<H256>,
        most: u32,
        reads: &mut Reads,
    ) -> Result<(Page<H256>, Places), QueryError> {
        if filter.is_empty() {
            return Ok((Page::empty(), Places::new()));
        }
        let mut places = Places::new();
        for did in filter.dids() {
            Self::add_registries_of(&did, &mut places, reads)?;
        }
        let mut by_schema = BTreeSet::new();
        for schema_id in filter.schema_ids.iter().flat_map(|field| field.ids()) {
            by_schema.extend(reads.all::<_, Vec<_>>(RegistriesBySchema::<T>::iter_key_prefix(schema_id))?);
        }
        Ok((Page::of(filter.matching(&places, by_schema), cursor, most as usize), places))
    }

    /// Adds the registries in which a DID is, in each of its roles. Delegations count without a look at schemas, since
    /// a DID that delegates issues at least one schema there.
    fn add_registries_of(did: &Did, places: &mut Places, reads: &mut Reads) -> Result<(), QueryError> {
        let entries: Vec<(H256, H256)> = reads.all(EntriesByDid::<T>::iter_key_prefix((did,)))?;
        for registry_id in entries.into_iter().map(|(registry_id, _)| registry_id).collect::<BTreeSet<_>>() {
            reads.one()?;
            let standing = Standings::<T>::get(registry_id, did);
            if standing.issuer_schemas > 0 {
                places.insert((registry_id, did.clone(), Role::Issuer));
            }
            if standing.verifier_schemas > 0 {
                places.insert((registry_id, did.clone(), Role::Verifier));
            }
        }
        let delegations: Vec<(H256, Did)> = reads.all(Delegations::<T>::iter_key_prefix((did,)))?;
        places.extend(delegations.into_iter().map(|(registry_id, _)| (registry_id, did.clone(), Role::Issuer)));
        Ok(())
    }

    fn participation(registry_id: H256, did: Did, role: Role, reads: &mut Reads) -> Result<Participation, QueryError> {
        reads.one()?;
        let standing = Standings::<T>::get(registry_id, &did);
        let (direct, delegated_by) = match role {
            Role::Issuer => (standing.issuer_schemas > 0, Self::delegators(registry_id, &did, reads)?),
            Role::Verifier => (true, BTreeSet::new()),
        };
        let delegated_by = delegated_by.into_iter().collect();
        Ok(Participation { did, role, direct, delegated_by, suspended: standing.suspended })
    }

    /// Returns the issuers that delegate to a DID in a registry, ascending.
    pub(super) fn delegators(
        registry_id: H256,
        delegate: &Did,
        reads: &mut Reads,
    ) -> Result<BTreeSet<Did>, QueryError> {
        reads.all(Delegations::<T>::iter_key_prefix((delegate, registry_id)))
    }
}
