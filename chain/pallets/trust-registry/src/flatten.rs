//! Turns an update into primitive changes. Reads storage and writes nothing.

use alloc::{
    collections::{BTreeMap, BTreeSet},
    vec::Vec,
};
use frame_support::ensure;
use pallet_did::Did;
use sp_core::H256;
use sp_runtime::{DispatchError, DispatchResult};

use crate::{
    Change, Config, Currency, Entries, Entry, Error, IssuerOp, IssuersUpdate, Metadata, MetadataUpdate, PriceOp,
    Prices, PricesInput, Registry, Schema, SchemaOp, Schemas, SchemasUpdate, VerifierOp, VerifiersUpdate,
};

/// Turns updates of one registry by one actor into changes.
pub struct Flattener<T> {
    registry_id: H256,
    convener: Did,
    actor: Did,
    changes: Vec<Change>,
    config: core::marker::PhantomData<T>,
}

/// The change that an update asks for in one schema.
struct Wanted {
    /// Replaces all issuers, or changes the named ones.
    issuers: Option<IssuersUpdate>,
    /// Replaces all verifiers, or changes the named ones.
    verifiers: Option<VerifiersUpdate>,
    /// Whether anyone may verify the schema, if the update says so.
    public: Option<bool>,
}

impl From<Metadata> for Wanted {
    fn from(Metadata { issuers, verifiers }: Metadata) -> Self {
        let public = Some(verifiers.as_ref().is_some_and(BTreeSet::is_empty));
        let verifiers = Some(VerifiersUpdate::Set(verifiers.unwrap_or_default()));
        Self { issuers: Some(IssuersUpdate::Set(issuers)), verifiers, public }
    }
}

impl From<MetadataUpdate> for Wanted {
    fn from(MetadataUpdate { issuers, verifiers }: MetadataUpdate) -> Self {
        let public = match &verifiers {
            Some(VerifiersUpdate::Set(verifiers)) => Some(verifiers.is_empty()),
            _ => None,
        };
        Self { issuers, verifiers, public }
    }
}

impl<T: Config> Flattener<T> {
    /// Begins the changes of a registry by an actor.
    pub fn new(registry_id: H256, registry: &Registry, actor: Did) -> Self {
        let changes = Vec::new();
        Self { registry_id, convener: registry.convener.clone(), actor, changes, config: core::marker::PhantomData }
    }

    /// Number of things stored under what an update replaces or removes.
    pub fn stored(registry_id: H256, registry: &Registry, update: &SchemasUpdate) -> u32 {
        match update {
            SchemasUpdate::Set(_) => registry.schemas.saturating_add(registry.entries),
            SchemasUpdate::Modify(ops) => ops
                .iter()
                .filter(|(_, op)| op.is_whole())
                .filter_map(|(schema_id, _)| Schemas::<T>::get(registry_id, schema_id))
                .fold(0, |sum: u32, schema| sum.saturating_add(schema.entries)),
        }
    }

    /// Returns the changes that an update makes, in the order in which they are applied and their events deposited.
    pub fn flatten(mut self, update: SchemasUpdate) -> Result<Vec<Change>, DispatchError> {
        match update {
            SchemasUpdate::Modify(ops) => {
                ops.into_iter().try_for_each(|(schema_id, op)| self.schema(schema_id, op))?;
            }
            SchemasUpdate::Set(schemas) => {
                self.authorize(None)?;
                let mut ops: BTreeMap<_, _> =
                    Schemas::<T>::iter_key_prefix(self.registry_id).map(|id| (id, SchemaOp::Remove)).collect();
                ops.extend(schemas.into_iter().map(|(id, metadata)| (id, SchemaOp::Set(metadata))));
                ops.into_iter().try_for_each(|(schema_id, op)| self.schema(schema_id, op))?;
            }
        }
        Ok(self.changes)
    }

    /// The one rule of who may change what. The convener may change everything, and a participant may change itself. A
    /// change of one DID gives that DID, and whether it has the role.
    fn authorize(&self, participant: Option<(&Did, bool)>) -> DispatchResult {
        let is_own = matches!(participant, Some((did, true)) if *did == self.actor);
        ensure!(is_own || self.actor == self.convener, Error::<T>::NotAuthorized);
        Ok(())
    }

    fn schema(&mut self, schema_id: H256, op: SchemaOp) -> DispatchResult {
        let stored = Schemas::<T>::get(self.registry_id, schema_id);
        match (&op, &stored) {
            (SchemaOp::Add(_), Some(_)) => return Err(Error::<T>::AlreadyExists.into()),
            (SchemaOp::Remove | SchemaOp::Modify(_), None) => return Err(Error::<T>::NotFound.into()),
            _ => {}
        }
        if !matches!(op, SchemaOp::Modify(_)) {
            self.authorize(None)?;
        }
        match op {
            SchemaOp::Set(metadata) | SchemaOp::Add(metadata) => self.participants(schema_id, stored, metadata.into()),
            SchemaOp::Modify(update) | SchemaOp::Ensure(update) => self.participants(schema_id, stored, update.into()),
            SchemaOp::Remove | SchemaOp::Discard if stored.is_some() => self.remove(schema_id),
            SchemaOp::Remove | SchemaOp::Discard => Ok(()),
        }
    }

    fn remove(&mut self, schema_id: H256) -> DispatchResult {
        let nobody = Metadata { issuers: BTreeMap::new(), verifiers: None };
        let Wanted { issuers, verifiers, .. } = nobody.into();
        let entries = self.entries(schema_id, &issuers, &verifiers);
        let changes = self.issuers(schema_id, issuers, &entries)?;
        self.changes.extend(changes);
        let changes = self.verifiers(schema_id, verifiers, &entries)?;
        self.changes.extend(changes);
        self.changes.push(Change::SchemaRemoved { schema_id });
        Ok(())
    }

    /// Each change leaves the schema in an allowed state: it is closed before a verifier or a price is added, and
    /// opened after they are removed.
    fn participants(&mut self, schema_id: H256, stored: Option<Schema>, wanted: Wanted) -> DispatchResult {
        let Wanted { issuers, verifiers, public } = wanted;
        let entries = self.entries(schema_id, &issuers, &verifiers);
        let issuers = self.issuers(schema_id, issuers, &entries)?;
        let verifiers = self.verifiers(schema_id, verifiers, &entries)?;

        let was = stored.clone().unwrap_or_default();
        let gets_verifier = verifiers.iter().any(|change| matches!(change, Change::Verifier { listed: true, .. }));
        let public = public.unwrap_or(was.public && !gets_verifier);
        ensure!(!public || priced_after(was.priced, &issuers) == 0, Error::<T>::PublicSchemaPriced);

        if stored.is_none() {
            self.changes.push(Change::SchemaAdded { schema_id });
        }
        if was.public && !public {
            self.changes.push(Change::PublicSet { schema_id, public });
        }
        self.changes.extend(issuers);
        self.changes.extend(verifiers);
        if !was.public && public {
            self.changes.push(Change::PublicSet { schema_id, public });
        }
        Ok(())
    }

    /// The stored participants that the update may change.
    fn entries(
        &self,
        schema_id: H256,
        issuers: &Option<IssuersUpdate>,
        verifiers: &Option<VerifiersUpdate>,
    ) -> BTreeMap<Did, Entry> {
        let is_whole =
            matches!(issuers, Some(IssuersUpdate::Set(_))) || matches!(verifiers, Some(VerifiersUpdate::Set(_)));
        if is_whole {
            return Entries::<T>::iter_prefix((self.registry_id, schema_id)).collect();
        }
        let mut named = BTreeSet::new();
        if let Some(IssuersUpdate::Modify(ops)) = issuers {
            named.extend(ops.keys());
        }
        if let Some(VerifiersUpdate::Modify(ops)) = verifiers {
            named.extend(ops.keys());
        }
        let entry = |did: &Did| Entries::<T>::get((self.registry_id, schema_id, did)).map(|entry| (did.clone(), entry));
        named.into_iter().filter_map(entry).collect()
    }

    fn issuers(
        &self,
        schema_id: H256,
        update: Option<IssuersUpdate>,
        entries: &BTreeMap<Did, Entry>,
    ) -> Result<Vec<Change>, DispatchError> {
        let listed = |did: &Did| entries.get(did).and_then(|entry| entry.issuer.clone());
        let ops = match update {
            None => return Ok(Vec::new()),
            Some(IssuersUpdate::Modify(ops)) => ops,
            Some(IssuersUpdate::Set(issuers)) => {
                self.authorize(None)?;
                let mut ops: BTreeMap<_, _> = entries
                    .keys()
                    .filter(|did| listed(did).is_some())
                    .map(|did| (did.clone(), IssuerOp::Remove))
                    .collect();
                ops.extend(issuers.into_iter().map(|(did, prices)| (did, IssuerOp::Set(prices))));
                ops
            }
        };
        let mut changes = Vec::new();
        for (did, op) in ops {
            let old = listed(&did);
            let new = self.issuer(&did, old.clone(), op)?;
            if old != new {
                changes.push(Change::Issuer { schema_id, did, old, new });
            }
        }
        Ok(changes)
    }

    fn issuer(&self, did: &Did, old: Option<Prices>, op: IssuerOp) -> Result<Option<Prices>, DispatchError> {
        match (&op, &old) {
            (IssuerOp::Add(_), Some(_)) => return Err(Error::<T>::AlreadyExists.into()),
            (IssuerOp::Remove | IssuerOp::Modify(_), None) => return Err(Error::<T>::NotFound.into()),
            _ => {}
        }
        self.authorize(Some((did, old.is_some())))?;
        match op {
            IssuerOp::Set(prices) | IssuerOp::Add(prices) => Self::prices(prices).map(Some),
            IssuerOp::Remove | IssuerOp::Discard => Ok(None),
            IssuerOp::Modify(ops) => Self::repriced(old.unwrap_or_default(), ops).map(Some),
            IssuerOp::Ensure => Ok(Some(old.unwrap_or_default())),
        }
    }

    fn prices(input: PricesInput) -> Result<Prices, DispatchError> {
        let mut prices = BTreeMap::new();
        for (symbol, price) in input {
            prices.insert(Currency::parse(&symbol).ok_or(Error::<T>::BadCurrency)?, price);
        }
        Prices::try_from(prices).map_err(|_| Error::<T>::TooManyCurrencies.into())
    }

    fn repriced(old: Prices, ops: BTreeMap<Vec<u8>, PriceOp>) -> Result<Prices, DispatchError> {
        let mut prices = old.into_inner();
        for (symbol, op) in ops {
            let currency = Currency::parse(&symbol).ok_or(Error::<T>::BadCurrency)?;
            match op {
                PriceOp::Set(price) => {
                    prices.insert(currency, price);
                }
                PriceOp::Add(price) => {
                    ensure!(prices.insert(currency, price).is_none(), Error::<T>::AlreadyExists);
                }
                PriceOp::Remove => {
                    prices.remove(&currency).ok_or(Error::<T>::NotFound)?;
                }
            }
        }
        Prices::try_from(prices).map_err(|_| Error::<T>::TooManyCurrencies.into())
    }

    fn verifiers(
        &self,
        schema_id: H256,
        update: Option<VerifiersUpdate>,
        entries: &BTreeMap<Did, Entry>,
    ) -> Result<Vec<Change>, DispatchError> {
        let listed = |did: &Did| entries.get(did).is_some_and(|entry| entry.verifier);
        let ops = match update {
            None => return Ok(Vec::new()),
            Some(VerifiersUpdate::Modify(ops)) => ops,
            Some(VerifiersUpdate::Set(verifiers)) => {
                self.authorize(None)?;
                let mut ops: BTreeMap<_, _> =
                    entries.keys().filter(|did| listed(did)).map(|did| (did.clone(), VerifierOp::Remove)).collect();
                ops.extend(verifiers.into_iter().map(|did| (did, VerifierOp::Ensure)));
                ops
            }
        };
        let mut changes = Vec::new();
        for (did, op) in ops {
            let was_listed = listed(&did);
            let listed = self.verifier(&did, was_listed, op)?;
            if listed != was_listed {
                changes.push(Change::Verifier { schema_id, did, listed });
            }
        }
        Ok(changes)
    }

    fn verifier(&self, did: &Did, is_listed: bool, op: VerifierOp) -> Result<bool, DispatchError> {
        match (&op, is_listed) {
            (VerifierOp::Add, true) => return Err(Error::<T>::AlreadyExists.into()),
            (VerifierOp::Remove, false) => return Err(Error::<T>::NotFound.into()),
            _ => {}
        }
        self.authorize(Some((did, is_listed)))?;
        Ok(matches!(op, VerifierOp::Add | VerifierOp::Ensure))
    }
}

/// Number of issuers that have a price after the changes.
fn priced_after(priced: u32, changes: &[Change]) -> u32 {
    let has_price = |prices: &Option<Prices>| prices.as_ref().is_some_and(|prices| !prices.is_empty());
    changes.iter().fold(priced, |count, change| match change {
        Change::Issuer { old, new, .. } => match (has_price(old), has_price(new)) {
            (false, true) => count.saturating_add(1),
            (true, false) => count.saturating_sub(1),
            _ => count,
        },
        _ => count,
    })
}
