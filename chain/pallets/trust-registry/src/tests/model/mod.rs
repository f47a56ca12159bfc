//! A naive model of a registry without a ledger: plain maps, with each rule where the specification names it.

mod chair;
mod grammar;
mod schema;

use std::collections::{BTreeMap, BTreeSet};

use sp_runtime::DispatchError;

use super::{
    history::{Act, Deed, Role},
    *,
};
pub use chair::Chair;
use grammar::{has_empty_modify, has_set};
pub use schema::ModelSchema;

/// The error of a refused call.
type Refusal = Error<Test>;

/// A registry.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// The convener and the name of the registry; none before it is created and after it is removed.
    pub chair: Option<Chair>,
    /// Whether it was removed.
    pub removed: bool,
    /// Schemas with their participants.
    pub schemas: BTreeMap<H256, ModelSchema>,
    /// DIDs that are suspended.
    pub suspended: BTreeSet<Did>,
    /// Pairs of issuer and delegate.
    pub delegations: BTreeSet<(Did, Did)>,
}

impl Model {
    /// Returns the registry after a call, or the error that refuses it.
    pub fn after(&self, act: &Act) -> Result<Self, DispatchError> {
        self.tried(act).map_err(Into::into)
    }

    fn tried(&self, act: &Act) -> Result<Self, Refusal> {
        let mut next = self.clone();
        let Some(chair) = &mut next.chair else { return self.first(act) };
        let version = chair.version;
        match &act.deed {
            Deed::Update(update, difference) => {
                let expected = difference.map(|difference| version.wrapping_add_signed(difference.into()));
                next.update(act.actor.clone(), update, expected)?;
                next.end_delegations();
                let changed = u32::from(next.schemas != self.schemas);
                next.chair = next.chair.map(|chair| Chair { version: version + changed, ..chair });
            }
            Deed::Name(name) => {
                chair.decides(act.actor.clone())?;
                chair.name = name.as_bytes().to_vec();
            }
            Deed::Offer(to) => {
                chair.decides(act.actor.clone())?;
                chair.goes_to(to.clone())?;
                chair.offer = Some(to.clone());
            }
            Deed::Accept => {
                let offered = chair.offer.clone().ok_or(Error::NotFound)?;
                if act.actor != offered {
                    return Err(Error::NotAuthorized);
                }
                (chair.convener, chair.offer) = (offered, None);
            }
            Deed::HandOver(to) => {
                chair.goes_to(to.clone())?;
                (chair.convener, chair.offer) = (to.clone(), None);
            }
            Deed::Remove => {
                chair.decides(act.actor.clone())?;
                if !self.schemas.is_empty() {
                    return Err(Error::SchemasLeft);
                }
                (next.chair, next.removed) = (None, true);
            }
            Deed::Delegate(update) => next.delegate(act.actor.clone(), update)?,
            Deed::Suspend(role, dids) => next.suspend(act.actor.clone(), *role, dids)?,
            Deed::Unsuspend(_, dids) => next.unsuspend(act.actor.clone(), dids)?,
        }
        Ok(next)
    }

    /// A call before the registry is created, the creation itself, or a call after the removal.
    fn first(&self, act: &Act) -> Result<Self, Refusal> {
        match act.deed {
            _ if self.removed => Err(Error::Removed),
            Deed::Name(name) => {
                let chair =
                    Chair { convener: act.actor.clone(), name: name.as_bytes().to_vec(), offer: None, version: 0 };
                Ok(Self { chair: Some(chair), ..self.clone() })
            }
            _ => Err(Error::NotFound),
        }
    }

    /// The registry's version.
    pub fn version(&self) -> u32 {
        self.chair.as_ref().map_or(0, |chair| chair.version)
    }

    fn convener_only(&self, actor: Did) -> Result<(), Refusal> {
        self.chair.as_ref().map_or(Err(Error::NotFound), |chair| chair.decides(actor))
    }

    fn issues(&self, did: Did) -> bool {
        self.schemas.values().any(|schema| schema.issuers.contains_key(&did))
    }

    fn end_delegations(&mut self) {
        let issuers: BTreeSet<Did> = self.schemas.values().flat_map(|schema| schema.issuers.keys().cloned()).collect();
        self.delegations.retain(|(issuer, _)| issuers.contains(issuer));
    }

    fn update(&mut self, actor: Did, update: &SchemasUpdate, expected: Option<u32>) -> Result<(), Refusal> {
        // Small histories stay within every limit but that of a currency's letters.
        let written = format!("{update:?}");
        if written.contains(&format!("{:?}", b"eur".to_vec())) {
            return Err(Error::BadCurrency);
        }
        if has_empty_modify(update) {
            return Err(Error::EmptyUpdate);
        }
        if expected.is_none() && has_set(update) {
            return Err(Error::VersionRequired);
        }
        if expected.is_some_and(|version| version != self.version()) {
            return Err(Error::VersionMismatch);
        }
        match update {
            SchemasUpdate::Set(all) => {
                self.convener_only(actor)?;
                let ids: BTreeSet<H256> = self.schemas.keys().chain(all.keys()).copied().collect();
                for id in ids {
                    match all.get(&id) {
                        Some(metadata) => self.put(id, metadata)?,
                        None => drop(self.schemas.remove(&id)),
                    }
                }
            }
            SchemasUpdate::Modify(ops) => {
                for (id, op) in ops {
                    self.schema(actor.clone(), *id, op)?;
                }
            }
        }
        Ok(())
    }

    fn schema(&mut self, actor: Did, id: H256, op: &SchemaOp) -> Result<(), Refusal> {
        let exists = self.schemas.contains_key(&id);
        match op {
            SchemaOp::Set(metadata) => {
                self.convener_only(actor)?;
                self.put(id, metadata)
            }
            SchemaOp::Add(_) if exists => Err(Error::AlreadyExists),
            SchemaOp::Add(metadata) => {
                self.convener_only(actor)?;
                self.put(id, metadata)
            }
            SchemaOp::Remove if !exists => Err(Error::NotFound),
            SchemaOp::Remove | SchemaOp::Discard => {
                self.convener_only(actor)?;
                self.schemas.remove(&id);
                Ok(())
            }
            SchemaOp::Modify(_) if !exists => Err(Error::NotFound),
            SchemaOp::Modify(update) => self.participants(actor, id, update),
            SchemaOp::Ensure(update) => {
                self.convener_only(actor.clone())?;
                self.schemas.entry(id).or_default();
                self.participants(actor, id, update)
            }
        }
    }

    fn put(&mut self, id: H256, metadata: &Metadata) -> Result<(), Refusal> {
        let schema = ModelSchema {
            public: metadata.verifiers.as_ref().is_some_and(|verifiers| verifiers.is_empty()),
            issuers: metadata.issuers.clone(),
            verifiers: metadata.verifiers.clone().unwrap_or_default(),
        };
        schema.check()?;
        self.schemas.insert(id, schema);
        Ok(())
    }

    fn participants(&mut self, actor: Did, id: H256, update: &MetadataUpdate) -> Result<(), Refusal> {
        let decides = self.convener_only(actor.clone()).is_ok();
        let schema = self.schemas.get_mut(&id).expect("a schema that is there");
        match &update.issuers {
            Some(IssuersUpdate::Set(issuers)) => {
                allowed(decides)?;
                schema.issuers = issuers.clone();
            }
            Some(IssuersUpdate::Modify(ops)) => {
                for (did, op) in ops {
                    schema.issuer(actor == *did, decides, did.clone(), op)?;
                }
            }
            None => {}
        }
        match &update.verifiers {
            Some(VerifiersUpdate::Set(verifiers)) => {
                allowed(decides)?;
                schema.verifiers = verifiers.clone();
                schema.public = verifiers.is_empty();
            }
            Some(VerifiersUpdate::Modify(ops)) => {
                for (did, op) in ops {
                    schema.verifier(actor == *did, decides, did.clone(), op)?;
                }
            }
            None => {}
        }
        schema.check()
    }

    fn delegate(&mut self, actor: Did, update: &DelegatedUpdate) -> Result<(), Refusal> {
        if matches!(update, DelegatedUpdate::Modify(ops) if ops.is_empty()) {
            return Err(Error::EmptyUpdate);
        }
        if !self.issues(actor.clone()) {
            return Err(Error::NotAuthorized);
        }
        if self.suspended.contains(&actor) {
            return Err(Error::Suspended);
        }
        match update {
            DelegatedUpdate::Set(delegates) => {
                self.delegations.retain(|(issuer, _)| *issuer != actor);
                self.delegations.extend(delegates.iter().map(|delegate| (actor.clone(), delegate.clone())));
            }
            DelegatedUpdate::Modify(ops) => {
                for (delegate, op) in ops {
                    let pair = (actor.clone(), delegate.clone());
                    match op {
                        DelegateOp::Add if !self.delegations.insert(pair.clone()) => return Err(Error::AlreadyExists),
                        DelegateOp::Remove if !self.delegations.remove(&pair) => return Err(Error::NotFound),
                        _ => {}
                    }
                }
            }
        }
        if self.delegations.contains(&(actor.clone(), actor)) {
            return Err(Error::SelfDelegation);
        }
        Ok(())
    }

    fn suspend(&mut self, actor: Did, role: Role, dids: &[Did]) -> Result<(), Refusal> {
        let dids: BTreeSet<Did> = dids.iter().cloned().collect();
        if dids.is_empty() {
            return Err(Error::EmptyUpdate);
        }
        self.convener_only(actor)?;
        for did in dids {
            let has_role = match role {
                Role::Issuer => {
                    self.issues(did.clone()) || self.delegations.iter().any(|(_, delegate)| *delegate == did)
                }
                Role::Verifier => self.schemas.values().any(|schema| schema.verifiers.contains(&did)),
            };
            if !has_role {
                return Err(Error::NotFound);
            }
            if !self.suspended.insert(did) {
                return Err(Error::AlreadySuspended);
            }
        }
        Ok(())
    }

    fn unsuspend(&mut self, actor: Did, dids: &[Did]) -> Result<(), Refusal> {
        let dids: BTreeSet<Did> = dids.iter().cloned().collect();
        if dids.is_empty() {
            return Err(Error::EmptyUpdate);
        }
        self.convener_only(actor)?;
        for did in dids {
            if !self.suspended.remove(&did) {
                return Err(Error::NotSuspended);
            }
        }
        Ok(())
    }
}

fn allowed(is_allowed: bool) -> Result<(), Refusal> {
    if is_allowed {
        Ok(())
    } else {
        Err(Error::NotAuthorized)
    }
}
