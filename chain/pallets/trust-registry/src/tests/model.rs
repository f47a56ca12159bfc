//! The registry as one would write it without a ledger: plain maps, each rule where the specification names it.

use std::collections::{BTreeMap, BTreeSet};

use sp_runtime::DispatchError;

use super::{
    history::{Act, Deed, Role},
    *,
};

/// What a refused call answers.
type Refusal = Error<Test>;

/// A registry.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// Grows with each change of schemas.
    pub version: u32,
    /// Schemas with their participants.
    pub schemas: BTreeMap<H256, ModelSchema>,
    /// Who is suspended.
    pub suspended: BTreeSet<Did>,
    /// Issuer and delegate.
    pub delegations: BTreeSet<(Did, Did)>,
}

/// A schema.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelSchema {
    /// Whether anyone may verify.
    pub public: bool,
    /// Issuers with their prices.
    pub issuers: BTreeMap<Did, BTreeMap<Vec<u8>, u128>>,
    /// Listed verifiers.
    pub verifiers: BTreeSet<Did>,
}

impl Model {
    /// The registry after a call, or the refusal.
    pub fn after(&self, act: &Act) -> Result<Self, DispatchError> {
        self.tried(act).map_err(Into::into)
    }

    fn tried(&self, act: &Act) -> Result<Self, Refusal> {
        let mut next = self.clone();
        match &act.deed {
            Deed::Update(update, difference) => {
                let expected = difference.map(|difference| self.version.wrapping_add_signed(difference.into()));
                next.update(act.actor, update, expected)?;
                next.end_delegations();
                if next.schemas != self.schemas {
                    next.version += 1;
                }
            }
            Deed::Delegate(update) => next.delegate(act.actor, update)?,
            Deed::Suspend(role, dids) => next.suspend(act.actor, *role, dids)?,
            Deed::Unsuspend(_, dids) => next.unsuspend(act.actor, dids)?,
        }
        Ok(next)
    }

    fn issues(&self, did: Did) -> bool {
        self.schemas.values().any(|schema| schema.issuers.contains_key(&did))
    }

    fn end_delegations(&mut self) {
        let issuers: BTreeSet<Did> = self.schemas.values().flat_map(|schema| schema.issuers.keys().copied()).collect();
        self.delegations.retain(|(issuer, _)| issuers.contains(issuer));
    }

    fn update(&mut self, actor: Did, update: &SchemasUpdate, expected: Option<u32>) -> Result<(), Refusal> {
        // Small histories are below every limit but that of a currency's letters.
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
        if expected.is_some_and(|version| version != self.version) {
            return Err(Error::VersionMismatch);
        }
        match update {
            SchemasUpdate::Set(all) => {
                convener_only(actor)?;
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
                    self.schema(actor, *id, op)?;
                }
            }
        }
        Ok(())
    }

    fn schema(&mut self, actor: Did, id: H256, op: &SchemaOp) -> Result<(), Refusal> {
        let exists = self.schemas.contains_key(&id);
        match op {
            SchemaOp::Set(metadata) => {
                convener_only(actor)?;
                self.put(id, metadata)
            }
            SchemaOp::Add(_) if exists => Err(Error::AlreadyExists),
            SchemaOp::Add(metadata) => {
                convener_only(actor)?;
                self.put(id, metadata)
            }
            SchemaOp::Remove if !exists => Err(Error::NotFound),
            SchemaOp::Remove | SchemaOp::Discard => {
                convener_only(actor)?;
                self.schemas.remove(&id);
                Ok(())
            }
            SchemaOp::Modify(_) if !exists => Err(Error::NotFound),
            SchemaOp::Modify(update) => self.participants(actor, id, update),
            SchemaOp::Ensure(update) => {
                convener_only(actor)?;
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
        let schema = self.schemas.get_mut(&id).expect("a schema that is there");
        match &update.issuers {
            Some(IssuersUpdate::Set(issuers)) => {
                convener_only(actor)?;
                schema.issuers = issuers.clone();
            }
            Some(IssuersUpdate::Modify(ops)) => {
                for (did, op) in ops {
                    schema.issuer(actor, *did, op)?;
                }
            }
            None => {}
        }
        match &update.verifiers {
            Some(VerifiersUpdate::Set(verifiers)) => {
                convener_only(actor)?;
                schema.verifiers = verifiers.clone();
                schema.public = verifiers.is_empty();
            }
            Some(VerifiersUpdate::Modify(ops)) => {
                for (did, op) in ops {
                    schema.verifier(actor, *did, op)?;
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
        if !self.issues(actor) {
            return Err(Error::NotAuthorized);
        }
        if self.suspended.contains(&actor) {
            return Err(Error::Suspended);
        }
        match update {
            DelegatedUpdate::Set(delegates) => {
                self.delegations.retain(|(issuer, _)| *issuer != actor);
                self.delegations.extend(delegates.iter().map(|delegate| (actor, *delegate)));
            }
            DelegatedUpdate::Modify(ops) => {
                for (delegate, op) in ops {
                    let pair = (actor, *delegate);
                    match op {
                        DelegateOp::Add if !self.delegations.insert(pair) => return Err(Error::AlreadyExists),
                        DelegateOp::Remove if !self.delegations.remove(&pair) => return Err(Error::NotFound),
                        _ => {}
                    }
                }
            }
        }
        if self.delegations.contains(&(actor, actor)) {
            return Err(Error::SelfDelegation);
        }
        Ok(())
    }

    fn suspend(&mut self, actor: Did, role: Role, dids: &[Did]) -> Result<(), Refusal> {
        let dids: BTreeSet<Did> = dids.iter().copied().collect();
        if dids.is_empty() {
            return Err(Error::EmptyUpdate);
        }
        convener_only(actor)?;
        for did in dids {
            let has_role = match role {
                Role::Issuer => self.issues(did) || self.delegations.iter().any(|(_, delegate)| *delegate == did),
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
        let dids: BTreeSet<Did> = dids.iter().copied().collect();
        if dids.is_empty() {
            return Err(Error::EmptyUpdate);
        }
        convener_only(actor)?;
        for did in dids {
            if !self.suspended.remove(&did) {
                return Err(Error::NotSuspended);
            }
        }
        Ok(())
    }
}

impl ModelSchema {
    fn check(&self) -> Result<(), Refusal> {
        if self.public && self.issuers.values().any(|prices| !prices.is_empty()) {
            return Err(Error::PublicSchemaPriced);
        }
        Ok(())
    }

    fn issuer(&mut self, actor: Did, did: Did, op: &IssuerOp) -> Result<(), Refusal> {
        let listed = self.issuers.contains_key(&did);
        match op {
            IssuerOp::Add(_) if listed => return Err(Error::AlreadyExists),
            IssuerOp::Remove | IssuerOp::Modify(_) if !listed => return Err(Error::NotFound),
            _ => {}
        }
        convener_or_listed(actor, did, listed)?;
        match op {
            IssuerOp::Set(prices) | IssuerOp::Add(prices) => drop(self.issuers.insert(did, prices.clone())),
            IssuerOp::Remove | IssuerOp::Discard => drop(self.issuers.remove(&did)),
            IssuerOp::Ensure => drop(self.issuers.entry(did).or_default()),
            IssuerOp::Modify(ops) => {
                let prices = self.issuers.get_mut(&did).expect("a listed issuer");
                for (symbol, op) in ops {
                    match op {
                        PriceOp::Set(price) => drop(prices.insert(symbol.clone(), *price)),
                        PriceOp::Add(_) if prices.contains_key(symbol) => return Err(Error::AlreadyExists),
                        PriceOp::Add(price) => drop(prices.insert(symbol.clone(), *price)),
                        PriceOp::Remove => drop(prices.remove(symbol).ok_or(Error::NotFound)?),
                    }
                }
            }
        }
        Ok(())
    }

    fn verifier(&mut self, actor: Did, did: Did, op: &VerifierOp) -> Result<(), Refusal> {
        let listed = self.verifiers.contains(&did);
        match op {
            VerifierOp::Add if listed => return Err(Error::AlreadyExists),
            VerifierOp::Remove if !listed => return Err(Error::NotFound),
            _ => {}
        }
        convener_or_listed(actor, did, listed)?;
        match op {
            VerifierOp::Add | VerifierOp::Ensure => {
                self.verifiers.insert(did);
                self.public = false;
            }
            VerifierOp::Remove | VerifierOp::Discard => drop(self.verifiers.remove(&did)),
        }
        Ok(())
    }
}

fn convener_only(actor: Did) -> Result<(), Refusal> {
    if actor == CONVENER {
        Ok(())
    } else {
        Err(Error::NotAuthorized)
    }
}

fn convener_or_listed(actor: Did, did: Did, listed: bool) -> Result<(), Refusal> {
    if actor == did && listed {
        return Ok(());
    }
    convener_only(actor)
}

fn has_empty_modify(update: &SchemasUpdate) -> bool {
    let SchemasUpdate::Modify(ops) = update else { return false };
    let in_participants = |update: &MetadataUpdate| {
        let issuers = match &update.issuers {
            Some(IssuersUpdate::Modify(ops)) => {
                ops.is_empty() || ops.values().any(|op| matches!(op, IssuerOp::Modify(prices) if prices.is_empty()))
            }
            _ => false,
        };
        issuers || matches!(&update.verifiers, Some(VerifiersUpdate::Modify(ops)) if ops.is_empty())
    };
    ops.is_empty()
        || ops.values().any(|op| match op {
            SchemaOp::Modify(update) => *update == MetadataUpdate::default() || in_participants(update),
            SchemaOp::Ensure(update) => in_participants(update),
            _ => false,
        })
}

fn has_set(update: &SchemasUpdate) -> bool {
    let SchemasUpdate::Modify(ops) = update else { return true };
    ops.values().any(|op| match op {
        SchemaOp::Set(_) => true,
        SchemaOp::Modify(update) | SchemaOp::Ensure(update) => {
            matches!(update.issuers, Some(IssuersUpdate::Set(_)))
                || matches!(update.verifiers, Some(VerifiersUpdate::Set(_)))
        }
        _ => false,
    })
}
