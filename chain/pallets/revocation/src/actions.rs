//! Implementation of the calls.

use alloc::{
    collections::{BTreeMap, BTreeSet},
    vec::Vec,
};
use frame_support::{
    ensure,
    pallet_prelude::{DispatchError, DispatchResult},
};
use pallet_did::Did;
use sp_core::H256;

use crate::{
    chunk::CHUNK_BITS, limits::MAX_INDEXES, Chunks, Config, Error, Event, Indexes, Kind, KindInput, Pallet, Policy,
    Registries, Registry, RegistryState,
};

impl<T: Config> Pallet<T> {
    /// Returns the registry if it is in use.
    pub(crate) fn registry(registry_id: H256) -> Result<Registry, DispatchError> {
        match Registries::<T>::get(registry_id) {
            Some(RegistryState::Active(registry)) => Ok(registry),
            Some(RegistryState::Removed) => Err(Error::<T>::Removed.into()),
            None => Err(Error::<T>::NotFound.into()),
        }
    }

    /// Whether a status bit of a registry in use is set, or a member of an accumulator was removed.
    pub fn is_revoked(registry_id: H256, index: u32) -> bool {
        Chunks::<T>::get(registry_id, index / CHUNK_BITS).is_some_and(|chunk| chunk.get(index))
    }

    pub(crate) fn do_create(
        actor: Did,
        registry_id: H256,
        policy: BTreeSet<Did>,
        add_only: bool,
        kind: KindInput,
    ) -> DispatchResult {
        match Registries::<T>::get(registry_id) {
            Some(RegistryState::Active(_)) => return Err(Error::<T>::AlreadyExists.into()),
            Some(RegistryState::Removed) => return Err(Error::<T>::Removed.into()),
            None => {}
        }
        let policy = Policy::try_from(policy).map_err(|_| Error::<T>::TooManyPolicyDids)?;
        let kind = kind.bounded().ok_or(Error::<T>::BadKind)?;
        ensure!(policy.contains(&actor), Error::<T>::NotAuthorized);
        let registry = Registry { policy: policy.clone(), add_only, kind: kind.clone(), version: 0 };
        Registries::<T>::insert(registry_id, RegistryState::Active(registry));
        Self::deposit_event(Event::RegistryCreated { registry_id, policy, add_only, kind });
        Ok(())
    }

    pub(crate) fn do_set_status(
        actor: Did,
        registry_id: H256,
        revoke: BTreeSet<u32>,
        unrevoke: BTreeSet<u32>,
    ) -> DispatchResult {
        let mut registry = Self::registry(registry_id)?;
        ensure!(revoke.len().saturating_add(unrevoke.len()) <= MAX_INDEXES as usize, Error::<T>::TooManyIndexes);
        ensure!(!revoke.is_empty() || !unrevoke.is_empty(), Error::<T>::EmptyUpdate);
        ensure!(registry.policy.contains(&actor), Error::<T>::NotAuthorized);
        let Kind::StatusList { length } = registry.kind else { return Err(Error::<T>::WrongKind.into()) };
        ensure!(!registry.add_only || unrevoke.is_empty(), Error::<T>::AddOnly);
        ensure!(revoke.is_disjoint(&unrevoke), Error::<T>::IndexInBoth);
        ensure!(revoke.iter().chain(&unrevoke).all(|index| *index < length), Error::<T>::IndexOutOfRange);

        let (revoked, unrevoked) = Self::put_bits(registry_id, revoke, unrevoke);
        if revoked.is_empty() && unrevoked.is_empty() {
            return Ok(());
        }
        registry.version = registry.version.saturating_add(1);
        let version = registry.version;
        Registries::<T>::insert(registry_id, RegistryState::Active(registry));
        let revoked = Indexes::try_from(revoked).map_err(|_| Error::<T>::TooManyIndexes)?;
        let unrevoked = Indexes::try_from(unrevoked).map_err(|_| Error::<T>::TooManyIndexes)?;
        Self::deposit_event(Event::StatusChanged { registry_id, revoked, unrevoked, version });
        Ok(())
    }

    /// Sets and clears bits, and returns those that changed. Each chunk is read and written once.
    pub(crate) fn put_bits(registry_id: H256, set: BTreeSet<u32>, clear: BTreeSet<u32>) -> (Vec<u32>, Vec<u32>) {
        let mut wanted: BTreeMap<u32, bool> = set.into_iter().map(|index| (index, true)).collect();
        wanted.extend(clear.into_iter().map(|index| (index, false)));
        let mut by_chunk: BTreeMap<u32, Vec<(u32, bool)>> = BTreeMap::new();
        for (index, value) in wanted {
            by_chunk.entry(index / CHUNK_BITS).or_default().push((index, value));
        }
        let mut changed = Vec::new();
        for (number, bits) in by_chunk {
            let mut chunk = Chunks::<T>::get(registry_id, number).unwrap_or_default();
            let before = changed.len();
            changed.extend(bits.into_iter().filter(|(index, value)| chunk.put(*index, *value)));
            if changed.len() == before {
                continue;
            }
            if chunk.is_zero() {
                Chunks::<T>::remove(registry_id, number);
            } else {
                Chunks::<T>::insert(registry_id, number, chunk);
            }
        }
        let (set, cleared): (Vec<_>, Vec<_>) = changed.into_iter().partition(|(_, value)| *value);
        let indexes = |bits: Vec<(u32, bool)>| bits.into_iter().map(|(index, _)| index).collect();
        (indexes(set), indexes(cleared))
    }

    pub(crate) fn do_remove(actor: Did, registry_id: H256) -> DispatchResult {
        let registry = Self::registry(registry_id)?;
        ensure!(registry.policy.contains(&actor), Error::<T>::NotAuthorized);
        ensure!(!registry.add_only, Error::<T>::AddOnly);
        for number in Chunks::<T>::iter_key_prefix(registry_id).collect::<Vec<_>>() {
            Chunks::<T>::remove(registry_id, number);
        }
        Registries::<T>::insert(registry_id, RegistryState::Removed);
        Self::deposit_event(Event::RegistryRemoved { registry_id });
        Ok(())
    }
}
