//! Updates of an accumulator.

use alloc::{collections::BTreeSet, vec::Vec};
use frame_support::{ensure, pallet_prelude::DispatchResult};
use pallet_did::Did;
use sp_core::H256;
use sp_runtime::DispatchError;

use crate::{
    limits::{MAX_INDEXES, MAX_MEMBERS},
    pallet::WitnessUpdate,
    registry::field,
    AccumulatorField, Config, Error, Event, Indexes, Kind, Pallet, Registries, RegistryState,
};

/// An update as a call gives it.
pub struct AccumulatorUpdate {
    /// The version that it follows.
    pub expected_version: u32,
    /// The value from now on.
    pub accumulated: Vec<u8>,
    /// Members to add.
    pub additions: BTreeSet<u32>,
    /// Members to remove.
    pub removals: BTreeSet<u32>,
    /// Information from which holders update their witnesses.
    pub witness_update_info: Vec<u8>,
}

impl<T: Config> Pallet<T> {
    pub(crate) fn do_update_accumulator(actor: Did, registry_id: H256, update: AccumulatorUpdate) -> DispatchResult {
        let mut registry = Self::registry(registry_id)?;
        let AccumulatorUpdate { expected_version, accumulated, additions, removals, witness_update_info } = update;
        ensure!(additions.len().saturating_add(removals.len()) <= MAX_INDEXES as usize, Error::<T>::TooManyIndexes);
        let told_additions = Self::told(&additions)?;
        let told_removals = Self::told(&removals)?;
        let new_accumulated = field(accumulated).ok_or(Error::<T>::BadAccumulator)?;
        let witness_update_info =
            WitnessUpdate::try_from(witness_update_info).map_err(|_| Error::<T>::BadAccumulator)?;
        ensure!(!additions.is_empty() || !removals.is_empty(), Error::<T>::EmptyUpdate);
        ensure!(registry.policy.contains(&actor), Error::<T>::NotAuthorized);
        let Kind::Accumulator { accumulated, .. } = &mut registry.kind else {
            return Err(Error::<T>::WrongKind.into());
        };
        ensure!(expected_version == registry.version, Error::<T>::VersionMismatch);
        Self::check_members(registry_id, registry.add_only, &additions, &removals)?;

        let old_accumulated: AccumulatorField = core::mem::replace(accumulated, new_accumulated.clone());
        registry.version = registry.version.saturating_add(1);
        let version = registry.version;
        Self::put_bits(registry_id, removals, additions);
        Registries::<T>::insert(registry_id, RegistryState::Active(registry));
        Self::deposit_event(Event::AccumulatorUpdated {
            registry_id,
            old_accumulated,
            new_accumulated,
            additions: told_additions,
            removals: told_removals,
            witness_update_info,
            version,
        });
        Ok(())
    }

    /// Converts indexes to the form of the event.
    fn told(members: &BTreeSet<u32>) -> Result<Indexes, DispatchError> {
        Indexes::try_from(members.iter().copied().collect::<Vec<_>>()).map_err(|_| Error::<T>::TooManyIndexes.into())
    }

    /// Refuses an impossible update, as far as the ledger knows the members: it stores only those that were removed.
    fn check_members(
        registry_id: H256,
        add_only: bool,
        additions: &BTreeSet<u32>,
        removals: &BTreeSet<u32>,
    ) -> DispatchResult {
        ensure!(additions.is_disjoint(removals), Error::<T>::IndexInBoth);
        ensure!(additions.iter().chain(removals).all(|index| *index < MAX_MEMBERS), Error::<T>::IndexOutOfRange);
        let was_removed = |index: &u32| Self::is_revoked(registry_id, *index);
        ensure!(!removals.iter().any(was_removed), Error::<T>::AlreadyRevoked);
        ensure!(!add_only || !additions.iter().any(was_removed), Error::<T>::AddOnly);
        Ok(())
    }
}
