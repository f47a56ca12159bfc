//! Invariants that hold between any two calls.

use alloc::collections::{BTreeMap, BTreeSet};
use frame_support::ensure;
use pallet_did::Did;
use sp_core::H256;
use sp_runtime::traits::Zero;

use crate::{
    limits::MAX_DELEGATES, Config, Convened, Delegations, Entries, EntriesByDid, Entry, Pallet, Proposals, Registries,
    RegistriesBySchema, Registry, RegistryState, Schema, Schemas, Standing, Standings,
};
use frame_support::traits::Contains;

impl<T: Config> Pallet<T> {
    /// Checks that every index mirrors what it indexes, that counts are right and that the rules of roles hold.
    pub fn check_invariants() -> Result<(), &'static str> {
        Self::check_entries()?;
        Self::check_schemas()?;
        Self::check_standings()?;
        Self::check_registries()
    }

    fn in_use(registry_id: &H256) -> Option<Registry> {
        match Registries::<T>::get(registry_id) {
            Some(RegistryState::Active(registry)) => Some(registry),
            _ => None,
        }
    }

    fn check_entries() -> Result<(), &'static str> {
        let entries: BTreeSet<_> = Entries::<T>::iter_keys().map(|(r, s, did)| (did, r, s)).collect();
        let reverse: BTreeSet<_> = EntriesByDid::<T>::iter_keys().collect();
        ensure!(entries == reverse, "entries and entries by DID differ");
        ensure!(Entries::<T>::iter_values().all(|entry| entry != Entry::default()), "an entry without a role");
        let has_schema = |(_, r, s): &(Did, H256, H256)| Schemas::<T>::contains_key(r, s);
        ensure!(entries.iter().all(has_schema), "an entry of no schema");
        Ok(())
    }

    fn check_schemas() -> Result<(), &'static str> {
        let by_registry: BTreeSet<_> = Schemas::<T>::iter().map(|(r, s, schema)| (s, r, schema.public)).collect();
        let by_schema: BTreeSet<_> = RegistriesBySchema::<T>::iter().collect();
        ensure!(by_registry == by_schema, "schemas by registry and registries by schema differ");
        for (registry_id, schema_id, schema) in Schemas::<T>::iter() {
            ensure!(Self::in_use(&registry_id).is_some(), "a schema of no registry");
            let mut counted = Schema { public: schema.public, ..Default::default() };
            for entry in Entries::<T>::iter_prefix_values((registry_id, schema_id)) {
                counted.entries += 1;
                counted.issuers += u32::from(entry.issuer.is_some());
                counted.verifiers += u32::from(entry.verifier);
                counted.priced += u32::from(entry.issuer.is_some_and(|prices| !prices.is_empty()));
            }
            ensure!(counted == schema, "stored counts of a schema differ from what it holds");
            ensure!(!schema.public || schema.verifiers.is_zero(), "a public schema lists verifiers");
            ensure!(!schema.public || schema.priced.is_zero(), "a public schema has a price");
        }
        Ok(())
    }

    fn check_standings() -> Result<(), &'static str> {
        let mut roles: BTreeMap<(H256, Did), (u32, u32)> = BTreeMap::new();
        for ((registry_id, _, did), entry) in Entries::<T>::iter() {
            let counts = roles.entry((registry_id, did)).or_default();
            counts.0 += u32::from(entry.issuer.is_some());
            counts.1 += u32::from(entry.verifier);
        }
        let mut delegations = BTreeSet::new();
        for (registry_id, did, standing) in Standings::<T>::iter() {
            ensure!(standing != Standing::default(), "an empty standing");
            let counts = roles.remove(&(registry_id, did.clone())).unwrap_or_default();
            ensure!(counts == (standing.issuer_schemas, standing.verifier_schemas), "a standing counts other schemas");
            ensure!(standing.delegates.len() <= MAX_DELEGATES as usize, "too many delegates");
            ensure!(!standing.delegates.contains(&did), "an issuer delegates to itself");
            ensure!(standing.delegates.is_empty() || standing.issuer_schemas > 0, "a delegator issues nothing");
            delegations.extend(standing.delegates.iter().map(|delegate| (delegate.clone(), registry_id, did.clone())));
        }
        ensure!(roles.is_empty(), "a participant without a standing");
        let stored: BTreeSet<_> = Delegations::<T>::iter_keys().collect();
        ensure!(delegations == stored, "delegates in standings and delegations differ");
        Ok(())
    }

    fn check_registries() -> Result<(), &'static str> {
        let mut convened: BTreeMap<Did, u32> = BTreeMap::new();
        for (registry_id, state) in Registries::<T>::iter() {
            let RegistryState::Active(registry) = state else { continue };
            ensure!(T::ActiveDids::contains(&registry.convener), "a convener is deactivated");
            *convened.entry(registry.convener).or_default() += 1;
            let standings = || Standings::<T>::iter_prefix_values(registry_id);
            let counted = (
                Schemas::<T>::iter_key_prefix(registry_id).count() as u32,
                Entries::<T>::iter_key_prefix((registry_id,)).count() as u32,
                standings().filter(|standing| standing.issuer_schemas > 0).count() as u32,
                standings().filter(|standing| standing.verifier_schemas > 0).count() as u32,
            );
            let stored = (registry.schemas, registry.entries, registry.issuers, registry.verifiers);
            ensure!(counted == stored, "stored counts of a registry differ from what it holds");
        }
        let stored: BTreeMap<_, _> = Convened::<T>::iter().collect();
        ensure!(convened == stored, "counts of convened registries differ");
        ensure!(Proposals::<T>::iter_keys().all(|id| Self::in_use(&id).is_some()), "an offer of no registry");
        Ok(())
    }
}
