//! Implementation of the calls.

use alloc::vec::Vec;
use frame_support::{
    dispatch::DispatchResultWithPostInfo,
    ensure,
    pallet_prelude::{DispatchError, DispatchResult},
    traits::Contains,
};
use pallet_did::Did;
use sp_core::H256;

use crate::{
    apply::Ledger, flatten::Flattener, limits::MAX_CHANGES, Change, Config, Convened, EndedDelegation, Error, Event,
    GovFramework, Name, Pallet, Proposals, Registries, Registry, RegistryState, SchemasUpdate, WeightInfo,
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

    pub(crate) fn do_init_or_update(
        actor: Did,
        registry_id: H256,
        name: Vec<u8>,
        gov_framework: Vec<u8>,
    ) -> DispatchResult {
        let stored = Registries::<T>::get(registry_id);
        ensure!(stored != Some(RegistryState::Removed), Error::<T>::Removed);
        let name = Name::try_from(name).map_err(|_| Error::<T>::NameTooLong)?;
        let gov_framework = GovFramework::try_from(gov_framework).map_err(|_| Error::<T>::GovFrameworkTooLong)?;
        match stored {
            Some(RegistryState::Active(registry)) => Self::update(actor, registry_id, registry, name, gov_framework),
            _ => {
                Self::init(actor, registry_id, name, gov_framework);
                Ok(())
            }
        }
    }

    fn init(convener: Did, registry_id: H256, name: Name, gov_framework: GovFramework) {
        let registry = Registry {
            convener: convener.clone(),
            name: name.clone(),
            gov_framework: gov_framework.clone(),
            version: 0,
            schemas: 0,
            entries: 0,
            issuers: 0,
            verifiers: 0,
        };
        Registries::<T>::insert(registry_id, RegistryState::Active(registry));
        Self::convene(&convener);
        Self::deposit_event(Event::TrustRegistryInitialized { registry_id, convener, name, gov_framework });
    }

    fn update(
        actor: Did,
        registry_id: H256,
        mut registry: Registry,
        new_name: Name,
        new_gov_framework: GovFramework,
    ) -> DispatchResult {
        ensure!(actor == registry.convener, Error::<T>::NotAuthorized);
        if registry.name == new_name && registry.gov_framework == new_gov_framework {
            return Ok(());
        }
        let old_name = core::mem::replace(&mut registry.name, new_name.clone());
        let old_gov_framework = core::mem::replace(&mut registry.gov_framework, new_gov_framework.clone());
        Registries::<T>::insert(registry_id, RegistryState::Active(registry));
        Self::deposit_event(Event::TrustRegistryUpdated {
            registry_id,
            old_name,
            new_name,
            old_gov_framework,
            new_gov_framework,
        });
        Ok(())
    }

    pub(crate) fn do_remove_trust_registry(actor: Did, registry_id: H256) -> DispatchResult {
        let registry = Self::registry(registry_id)?;
        ensure!(actor == registry.convener, Error::<T>::NotAuthorized);
        ensure!(registry.schemas == 0, Error::<T>::SchemasLeft);
        Proposals::<T>::remove(registry_id);
        Self::leave_chair(&registry.convener);
        Registries::<T>::insert(registry_id, RegistryState::Removed);
        Self::deposit_event(Event::TrustRegistryRemoved { registry_id });
        Ok(())
    }

    pub(crate) fn do_propose_transfer(actor: Did, registry_id: H256, new: Did) -> DispatchResult {
        let registry = Self::registry(registry_id)?;
        ensure!(actor == registry.convener, Error::<T>::NotAuthorized);
        ensure!(new != registry.convener, Error::<T>::AlreadyExists);
        ensure!(T::ActiveDids::contains(&new), Error::<T>::Inactive);
        let old = Proposals::<T>::get(registry_id);
        if old.as_ref() != Some(&new) {
            Proposals::<T>::insert(registry_id, &new);
            Self::deposit_event(Event::TransferProposed { registry_id, old, new });
        }
        Ok(())
    }

    pub(crate) fn do_accept_trust_registry(actor: Did, registry_id: H256) -> DispatchResult {
        let registry = Self::registry(registry_id)?;
        let offered = Proposals::<T>::get(registry_id).ok_or(Error::<T>::NotFound)?;
        ensure!(actor == offered, Error::<T>::NotAuthorized);
        Self::hand_over(registry_id, registry, actor);
        Ok(())
    }

    pub(crate) fn do_hand_over(registry_id: H256, new: Did) -> DispatchResult {
        let registry = Self::registry(registry_id)?;
        ensure!(new != registry.convener, Error::<T>::AlreadyExists);
        ensure!(T::ActiveDids::contains(&new), Error::<T>::Inactive);
        Self::hand_over(registry_id, registry, new);
        Ok(())
    }

    fn hand_over(registry_id: H256, mut registry: Registry, new: Did) {
        let old = core::mem::replace(&mut registry.convener, new.clone());
        Proposals::<T>::remove(registry_id);
        Self::leave_chair(&old);
        Self::convene(&new);
        Registries::<T>::insert(registry_id, RegistryState::Active(registry));
        Self::deposit_event(Event::Transferred { registry_id, old, new });
    }

    fn convene(convener: &Did) {
        Convened::<T>::mutate(convener, |count| *count = count.saturating_add(1));
    }

    fn leave_chair(convener: &Did) {
        Convened::<T>::mutate_exists(convener, |count| {
            *count = count.map(|count| count.saturating_sub(1)).filter(|count| *count > 0);
        });
    }

    pub(crate) fn do_set_schemas_metadata(
        actor: Did,
        registry_id: H256,
        update: SchemasUpdate,
        expected_version: Option<u32>,
    ) -> DispatchResultWithPostInfo {
        let Plan { mut registry, changes, visited, prices, .. } =
            Self::plan(actor, registry_id, update, expected_version)?;
        let actual = Some(T::WeightInfo::set_schemas_metadata(visited, prices));
        if changes.is_empty() {
            return Ok(actual.into());
        }
        registry.version = registry.version.saturating_add(1);
        let version = registry.version;
        let mut ledger = Ledger::<T>::open(registry_id, &mut registry);
        changes.into_iter().for_each(|change| ledger.apply(change));
        ledger.close();
        Registries::<T>::insert(registry_id, RegistryState::Active(registry));
        Self::deposit_event(Event::SchemasMetadataSet { registry_id, version });
        Ok(actual.into())
    }

    /// Checks an update and returns its effect. Writes nothing.
    pub(crate) fn plan(
        actor: Did,
        registry_id: H256,
        update: SchemasUpdate,
        expected_version: Option<u32>,
    ) -> Result<Plan, DispatchError> {
        let registry = Self::registry(registry_id)?;
        let size = update.size();
        ensure!(size.listed <= MAX_CHANGES, Error::<T>::TooManyChanges);
        let stored = Flattener::<T>::stored(registry_id, &registry, &update);
        size.check::<T>(stored)?;
        ensure!(!size.replaces || expected_version.is_some(), Error::<T>::VersionRequired);
        ensure!(expected_version.is_none_or(|version| version == registry.version), Error::<T>::VersionMismatch);

        let changes = Flattener::<T>::new(registry_id, &registry, actor).flatten(update)?;
        let ended_delegations = Self::ended_delegations(registry_id, &changes);
        let visited = size.listed.saturating_add(stored).saturating_add(ended_delegations.len() as u32);
        ensure!(visited <= MAX_CHANGES, Error::<T>::TooManyChanges);
        Ok(Plan { registry, changes, ended_delegations, visited, prices: size.prices })
    }
}

/// The effect of an update of schemas.
pub(crate) struct Plan {
    /// The registry before the update.
    registry: Registry,
    /// The changes, in the order in which they are applied and their events deposited.
    pub changes: Vec<Change>,
    /// The delegations that end with the changes, in the order of their events.
    pub ended_delegations: Vec<EndedDelegation>,
    /// Number of things that the update visits.
    visited: u32,
    /// Number of prices that the update names.
    prices: u32,
}

/// DIDs that convene a registry.
pub struct Conveners<T>(core::marker::PhantomData<T>);

impl<T: Config> Contains<Did> for Conveners<T> {
    fn contains(did: &Did) -> bool {
        Convened::<T>::contains_key(did)
    }
}
