//! Application of primitive changes, with their events.

use alloc::{collections::BTreeMap, vec::Vec};
use pallet_did::Did;
use sp_core::H256;

use crate::{
    Change, Config, Delegations, EndedDelegation, Entries, EntriesByDid, Entry, Event, Pallet, Prices,
    RegistriesBySchema, Registry, Schema, Schemas, Standing, Standings,
};

/// Applies the changes of one call. Counts are kept in memory and written once, by [`Ledger::close`].
pub struct Ledger<'a, T> {
    registry_id: H256,
    registry: &'a mut Registry,
    schemas: BTreeMap<H256, Option<Schema>>,
    standings: BTreeMap<Did, Standing>,
    config: core::marker::PhantomData<T>,
}

impl<'a, T: Config> Ledger<'a, T> {
    /// Begins the changes of a registry.
    pub fn open(registry_id: H256, registry: &'a mut Registry) -> Self {
        let (schemas, standings) = (BTreeMap::new(), BTreeMap::new());
        Self { registry_id, registry, schemas, standings, config: core::marker::PhantomData }
    }

    /// Applies one change and deposits its event.
    pub fn apply(&mut self, change: Change) {
        let registry_id = self.registry_id;
        match change {
            Change::SchemaAdded { schema_id } => {
                self.schemas.insert(schema_id, Some(Schema::default()));
                self.registry.schemas = self.registry.schemas.saturating_add(1);
                Pallet::<T>::deposit_event(Event::SchemaAdded { registry_id, schema_id });
            }
            Change::SchemaRemoved { schema_id } => {
                self.schemas.insert(schema_id, None);
                self.registry.schemas = self.registry.schemas.saturating_sub(1);
                Pallet::<T>::deposit_event(Event::SchemaRemoved { registry_id, schema_id });
            }
            Change::PublicSet { schema_id, public } => {
                self.schema(schema_id, |schema| schema.public = public);
                Pallet::<T>::deposit_event(Event::SchemaPublicSet { registry_id, schema_id, public });
            }
            Change::Issuer { schema_id, did: issuer, old, new } => {
                self.count_issuer(schema_id, &issuer, &old, &new);
                self.entry(schema_id, &issuer, |entry| entry.issuer = new.clone());
                Pallet::<T>::deposit_event(Event::IssuerChanged { registry_id, schema_id, issuer, old, new });
            }
            Change::Verifier { schema_id, did: verifier, listed: new } => {
                self.count_verifier(schema_id, &verifier, new);
                self.entry(schema_id, &verifier, |entry| entry.verifier = new);
                let old = !new;
                Pallet::<T>::deposit_event(Event::VerifierChanged { registry_id, schema_id, verifier, old, new });
            }
        }
    }

    /// Ends the delegations of issuers that no longer issue any schema, then writes the counts.
    pub fn close(mut self) {
        let registry_id = self.registry_id;
        for (did, standing) in &mut self.standings {
            if standing.issuer_schemas == 0 {
                for delegate in core::mem::take(&mut standing.delegates) {
                    Pallet::<T>::withdraw(registry_id, did.clone(), delegate);
                }
            }
            Pallet::<T>::put_standing(registry_id, did, standing);
        }
        for (schema_id, schema) in self.schemas {
            match schema {
                Some(schema) => {
                    RegistriesBySchema::<T>::insert(schema_id, registry_id, schema.public);
                    Schemas::<T>::insert(registry_id, schema_id, schema);
                }
                None => {
                    RegistriesBySchema::<T>::remove(schema_id, registry_id);
                    Schemas::<T>::remove(registry_id, schema_id);
                }
            }
        }
    }

    fn schema(&mut self, schema_id: H256, change: impl FnOnce(&mut Schema)) {
        let registry_id = self.registry_id;
        let schema = self.schemas.entry(schema_id).or_insert_with(|| Schemas::<T>::get(registry_id, schema_id));
        if let Some(schema) = schema {
            change(schema);
        }
    }

    fn standing(&mut self, did: &Did) -> &mut Standing {
        let registry_id = self.registry_id;
        self.standings.entry(did.clone()).or_insert_with(|| Standings::<T>::get(registry_id, did))
    }

    fn count_issuer(&mut self, schema_id: H256, did: &Did, old: &Option<Prices>, new: &Option<Prices>) {
        let has_price = |prices: &Option<Prices>| prices.as_ref().is_some_and(|prices| !prices.is_empty());
        self.schema(schema_id, |schema| {
            count(&mut schema.issuers, old.is_some(), new.is_some());
            count(&mut schema.priced, has_price(old), has_price(new));
        });
        let standing = self.standing(did);
        let issued = standing.issuer_schemas > 0;
        count(&mut standing.issuer_schemas, old.is_some(), new.is_some());
        let issues = standing.issuer_schemas > 0;
        count(&mut self.registry.issuers, issued, issues);
    }

    fn count_verifier(&mut self, schema_id: H256, did: &Did, listed: bool) {
        self.schema(schema_id, |schema| count(&mut schema.verifiers, !listed, listed));
        let standing = self.standing(did);
        let verified = standing.verifier_schemas > 0;
        count(&mut standing.verifier_schemas, !listed, listed);
        let verifies = standing.verifier_schemas > 0;
        count(&mut self.registry.verifiers, verified, verifies);
    }

    fn entry(&mut self, schema_id: H256, did: &Did, change: impl FnOnce(&mut Entry)) {
        let registry_id = self.registry_id;
        let key = (registry_id, schema_id, did);
        let stored = Entries::<T>::get(key);
        let existed = stored.is_some();
        let mut entry = stored.unwrap_or_default();
        change(&mut entry);
        let exists = entry != Entry::default();
        match (existed, exists) {
            (_, true) => Entries::<T>::insert(key, entry),
            (true, false) => Entries::<T>::remove(key),
            (false, false) => {}
        }
        match (existed, exists) {
            (false, true) => EntriesByDid::<T>::insert((did, registry_id, schema_id), ()),
            (true, false) => EntriesByDid::<T>::remove((did, registry_id, schema_id)),
            _ => {}
        }
        count(&mut self.registry.entries, existed, exists);
        self.schema(schema_id, |schema| count(&mut schema.entries, existed, exists));
    }
}

impl<T: Config> Pallet<T> {
    /// Writes a standing, or removes it if nothing is left in it.
    pub(crate) fn put_standing(registry_id: H256, did: &Did, standing: &Standing) {
        if *standing == Standing::default() {
            Standings::<T>::remove(registry_id, did);
        } else {
            Standings::<T>::insert(registry_id, did, standing);
        }
    }

    /// Ends one delegation.
    pub(crate) fn withdraw(registry_id: H256, issuer: Did, delegate: Did) {
        Delegations::<T>::remove((&delegate, registry_id, &issuer));
        Self::deposit_event(Event::DelegateRemoved { registry_id, issuer, delegate });
    }

    /// The delegations that end with these changes, because their issuer is left without a schema.
    pub(crate) fn ended_delegations(registry_id: H256, changes: &[Change]) -> Vec<EndedDelegation> {
        let mut issued: BTreeMap<&Did, i32> = BTreeMap::new();
        for (did, difference) in changes.iter().filter_map(Change::issued_schemas) {
            *issued.entry(did).or_default() += difference;
        }
        let mut ended = Vec::new();
        for (issuer, difference) in issued.into_iter().filter(|(_, difference)| *difference < 0) {
            let standing = Standings::<T>::get(registry_id, issuer);
            if standing.issuer_schemas == difference.unsigned_abs() {
                let delegates = standing.delegates.into_iter();
                ended.extend(delegates.map(|delegate| EndedDelegation { issuer: issuer.clone(), delegate }));
            }
        }
        ended
    }
}

/// Updates a counter for one thing, given whether it was there before and is there now.
fn count(counter: &mut u32, was: bool, is: bool) {
    *counter = match (was, is) {
        (false, true) => counter.saturating_add(1),
        (true, false) => counter.saturating_sub(1),
        _ => *counter,
    };
}
