//! A naive model of revocation registries without a ledger: plain maps, with each rule where the specification names
//! it. It is also read from storage and rebuilt from events.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::limits::*;

/// The error of a refused call.
type Refusal = Error<Test>;

/// All registries. A removed one has no value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model(BTreeMap<H256, Option<ModelRegistry>>);

/// A registry.
#[derive(Clone, Debug, PartialEq)]
struct ModelRegistry {
    policy: BTreeSet<Did>,
    add_only: bool,
    kind: Kind,
    version: u32,
    /// Revoked indexes, and members that were removed.
    revoked: BTreeSet<u32>,
}

impl Model {
    /// Reads the registries from storage.
    pub fn stored() -> Self {
        let mut all = BTreeMap::new();
        for (id, state) in Registries::<Test>::iter() {
            let registry = match state {
                RegistryState::Active(Registry { policy, add_only, kind, version }) => {
                    let policy = policy.into_inner();
                    Some(ModelRegistry { policy, add_only, kind, version, revoked: bits(id) })
                }
                RegistryState::Removed => None,
            };
            all.insert(id, registry);
        }
        Self(all)
    }

    /// Applies an event, which must fit the state before it.
    pub fn tell(&mut self, event: Event<Test>) {
        match event {
            Event::RegistryCreated { registry_id, policy, add_only, kind } => {
                let policy = policy.into_inner();
                let registry = ModelRegistry { policy, add_only, kind, version: 0, revoked: BTreeSet::new() };
                assert_eq!(self.0.insert(registry_id, Some(registry)), None);
            }
            Event::StatusChanged { registry_id, revoked, unrevoked, version } => {
                let registry = self.told(registry_id, version);
                assert!(!revoked.is_empty() || !unrevoked.is_empty());
                assert!(revoked.into_iter().all(|index| registry.revoked.insert(index)));
                assert!(unrevoked.into_iter().all(|index| registry.revoked.remove(&index)));
            }
            Event::AccumulatorUpdated {
                registry_id,
                old_accumulated,
                new_accumulated,
                additions,
                removals,
                version,
                ..
            } => {
                let registry = self.told(registry_id, version);
                let Kind::Accumulator { accumulated, .. } = &mut registry.kind else { panic!("an accumulator") };
                assert_eq!(std::mem::replace(accumulated, new_accumulated), old_accumulated);
                registry.revoked.retain(|index| !additions.contains(index));
                assert!(removals.into_iter().all(|index| registry.revoked.insert(index)));
            }
            Event::RegistryRemoved { registry_id } => {
                assert!(self.0.insert(registry_id, None).flatten().is_some());
            }
            Event::__Ignore(..) => unreachable!(),
        }
    }

    fn told(&mut self, registry_id: H256, version: u32) -> &mut ModelRegistry {
        let registry = self.0.get_mut(&registry_id).and_then(Option::as_mut).expect("a registry that was told");
        registry.version += 1;
        assert_eq!(registry.version, version);
        registry
    }

    /// Returns the registries after a call, or the error that refuses it.
    pub fn after(&self, actor: Did, call: &Call<Test>) -> Result<Self, sp_runtime::DispatchError> {
        let mut next = self.clone();
        next.tried(actor, call)?;
        Ok(next)
    }

    fn tried(&mut self, actor: Did, call: &Call<Test>) -> Result<(), Refusal> {
        match call {
            Call::create { registry_id, policy, add_only, kind } => {
                match self.0.get(registry_id) {
                    Some(Some(_)) => return Err(Error::AlreadyExists),
                    Some(None) => return Err(Error::Removed),
                    None => {}
                }
                let kind = kind.clone().bounded().ok_or(Error::BadKind)?;
                ensure(policy.contains(&actor), Error::NotAuthorized)?;
                let (policy, add_only) = (policy.clone(), *add_only);
                let registry = ModelRegistry { policy, add_only, kind, version: 0, revoked: BTreeSet::new() };
                self.0.insert(*registry_id, Some(registry));
                Ok(())
            }
            Call::set_status { registry_id, revoke, unrevoke } => {
                self.registry(*registry_id)?.set_status(actor, revoke, unrevoke)
            }
            Call::update_accumulator { registry_id, expected_version, accumulated, additions, removals, .. } => {
                let registry = self.registry(*registry_id)?;
                registry.update(actor, *expected_version, accumulated, additions, removals)
            }
            Call::remove { registry_id } => {
                let registry = self.registry(*registry_id)?;
                ensure(registry.policy.contains(&actor), Error::NotAuthorized)?;
                ensure(!registry.add_only, Error::AddOnly)?;
                self.0.insert(*registry_id, None);
                Ok(())
            }
            Call::__Ignore(..) => unreachable!(),
        }
    }

    fn registry(&mut self, registry_id: H256) -> Result<&mut ModelRegistry, Refusal> {
        self.0.get_mut(&registry_id).ok_or(Error::NotFound)?.as_mut().ok_or(Error::Removed)
    }

    /// Returns what is revoked permanently.
    pub fn for_ever(&self) -> BTreeSet<(H256, u32)> {
        let add_only = self.0.iter().filter_map(|(id, registry)| {
            registry.as_ref().filter(|registry| registry.add_only).map(|registry| (*id, registry))
        });
        add_only.flat_map(|(id, registry)| registry.revoked.iter().map(move |index| (id, *index))).collect()
    }
}

impl ModelRegistry {
    fn set_status(&mut self, actor: Did, revoke: &BTreeSet<u32>, unrevoke: &BTreeSet<u32>) -> Result<(), Refusal> {
        ensure(!revoke.is_empty() || !unrevoke.is_empty(), Error::EmptyUpdate)?;
        ensure(self.policy.contains(&actor), Error::NotAuthorized)?;
        let Kind::StatusList { length } = self.kind else { return Err(Error::WrongKind) };
        ensure(!self.add_only || unrevoke.is_empty(), Error::AddOnly)?;
        ensure(revoke.is_disjoint(unrevoke), Error::IndexInBoth)?;
        ensure(revoke.union(unrevoke).all(|index| *index < length), Error::IndexOutOfRange)?;
        let before = self.revoked.clone();
        self.revoked = &(&before | revoke) - unrevoke;
        self.version += u32::from(self.revoked != before);
        Ok(())
    }

    fn update(
        &mut self,
        actor: Did,
        expected_version: u32,
        value: &[u8],
        additions: &BTreeSet<u32>,
        removals: &BTreeSet<u32>,
    ) -> Result<(), Refusal> {
        let value = value.to_vec().try_into().map_err(|_| Error::BadAccumulator)?;
        ensure(!additions.is_empty() || !removals.is_empty(), Error::EmptyUpdate)?;
        ensure(self.policy.contains(&actor), Error::NotAuthorized)?;
        let Kind::Accumulator { accumulated, .. } = &mut self.kind else { return Err(Error::WrongKind) };
        ensure(expected_version == self.version, Error::VersionMismatch)?;
        ensure(additions.is_disjoint(removals), Error::IndexInBoth)?;
        ensure(additions.union(removals).all(|index| *index < MAX_MEMBERS), Error::IndexOutOfRange)?;
        ensure(removals.is_disjoint(&self.revoked), Error::AlreadyRevoked)?;
        ensure(!self.add_only || additions.is_disjoint(&self.revoked), Error::AddOnly)?;
        *accumulated = value;
        self.revoked = &(&self.revoked - additions) | removals;
        self.version += 1;
        Ok(())
    }
}

fn bits(registry_id: H256) -> BTreeSet<u32> {
    let set = |(number, chunk): (u32, Chunk)| {
        let first = number * CHUNK_BITS;
        (first..first + CHUNK_BITS).filter(move |index| chunk.get(*index))
    };
    Chunks::<Test>::iter_prefix(registry_id).flat_map(set).collect()
}

fn ensure(holds: bool, refusal: Refusal) -> Result<(), Refusal> {
    if holds {
        Ok(())
    } else {
        Err(refusal)
    }
}
