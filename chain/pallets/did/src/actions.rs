//! Implementation of the calls.

use alloc::{collections::BTreeSet, vec::Vec};
use codec::{Decode, Encode};
use frame_support::{
    ensure,
    pallet_prelude::DispatchResult,
    traits::{Contains, Get},
};
use frame_system::pallet_prelude::BlockNumberFor;
use sp_core::ed25519;
use sp_io::{crypto::ed25519_verify, hashing::blake2_256};
use sp_runtime::{
    traits::{TrailingZeroInput, Zero},
    DispatchError,
};

use crate::{
    limits::*, payload::*, weak_key::is_small_order_ed25519, Config, Controllers, Did, DidId, DidKey, DidKeyInput,
    DidRecord, DidState, Dids, Error, Event, KeyEntry, Keys, Nonces, Pallet, PublicKey, RevokedKeys, ServiceEntry,
    ServiceField, Services,
};

impl<T: Config> Pallet<T> {
    /// Whether a DID can act. A `did:key` always can, a DID of this ledger from its creation to its deactivation, one of
    /// another method never.
    pub fn is_active(did: &Did) -> bool {
        match did {
            Did::Svc(id) => matches!(Dids::<T>::get(id), Some(DidState::Active(_))),
            Did::Key(_) => true,
            Did::Other(_) => false,
        }
    }

    pub(crate) fn transaction_version() -> u32 {
        <T as frame_system::Config>::Version::get().transaction_version
    }

    pub(crate) fn genesis_hash() -> T::Hash {
        frame_system::Pallet::<T>::block_hash(BlockNumberFor::<T>::zero())
    }

    pub(crate) fn no_account() -> T::AccountId {
        T::AccountId::decode(&mut TrailingZeroInput::zeroes()).expect("an account can be read from zeros; qed")
    }

    pub(crate) fn do_create(
        submitter: T::AccountId,
        salt: [u8; 32],
        keys: Vec<KeyEntry>,
        controllers: BTreeSet<Did>,
        services: Vec<ServiceEntry>,
        signature: [u8; 64],
    ) -> DispatchResult {
        ensure!(keys.len() <= MAX_KEYS as usize, Error::<T>::TooManyKeys);
        ensure!(controllers.len() <= MAX_CONTROLLERS as usize, Error::<T>::TooManyControllers);
        ensure!(services.len() <= MAX_SERVICES as usize, Error::<T>::TooManyServices);
        let first = keys.first().cloned().and_then(KeyEntry::resolved).filter(KeyEntry::controls);
        let first = first.ok_or(Error::<T>::FirstKeyCannotControl)?.key;
        ensure!(!first.is_weak(), Error::<T>::WeakKey);
        let did = DidId(blake2_256(&IdPayload { tag: ID_TAG, key: first.clone(), salt }.encode()));
        ensure!(!Dids::<T>::contains_key(did), Error::<T>::AlreadyExists);

        let tag = CREATION_TAG;
        let genesis_hash = Self::genesis_hash();
        let payload = CreationPayload { tag, genesis_hash, salt, keys, controllers, services, submitter };
        ensure!(Self::verify(&first, &signature, &payload.encode()), Error::<T>::BadSignature);

        let CreationPayload { keys, controllers, services, submitter, .. } = payload;
        Self::deposit_event(Event::Created { did, submitter });
        let mut record = DidRecord::default();
        for key in keys {
            Self::put_key(did, &mut record, key)?;
        }
        for controller in controllers {
            Self::put_controller(did, &mut record, controller)?;
        }
        for service in services {
            let (id, service) = service.bounded().ok_or(Error::<T>::BadService)?;
            ensure!(!Services::<T>::contains_key(did, &id), Error::<T>::AlreadyExists);
            Self::put_service(did, &mut record, id, service)?;
        }
        Dids::<T>::insert(did, DidState::Active(record));
        Ok(())
    }

    /// Whether a signature over some bytes was made by an Ed25519 key. The point that a signature begins with is never
    /// of small order if it was made as RFC 8032 says, so such a signature is refused.
    pub(crate) fn verify(key: &PublicKey, signature: &[u8; 64], bytes: &[u8]) -> bool {
        match key {
            PublicKey::Ed25519(key) if !is_small_order_ed25519(&commitment(signature)) => {
                ed25519_verify(&ed25519::Signature::from_raw(*signature), bytes, &ed25519::Public::from_raw(*key))
            }
            _ => false,
        }
    }

    /// Returns the record of an active DID.
    pub(crate) fn record(did: DidId) -> Result<DidRecord, DispatchError> {
        match Dids::<T>::get(did) {
            Some(DidState::Active(record)) => Ok(record),
            Some(DidState::Deactivated) => Err(Error::<T>::Deactivated.into()),
            None => Err(Error::<T>::NotFound.into()),
        }
    }

    fn controlled(actor: &Did, did: DidId) -> Result<DidRecord, DispatchError> {
        let record = Self::record(did)?;
        let controls = *actor == Did::Svc(did) || Controllers::<T>::contains_key(did, actor);
        ensure!(controls, Error::<T>::NotAuthorized);
        Ok(record)
    }

    /// Changes a DID that the actor controls. Fails if nobody would control it afterwards.
    pub(crate) fn change(
        actor: &Did,
        did: DidId,
        change: impl FnOnce(&mut DidRecord) -> DispatchResult,
    ) -> DispatchResult {
        let mut record = Self::controlled(actor, did)?;
        change(&mut record)?;
        ensure!(record.is_controlled(), Error::<T>::LastControl);
        Dids::<T>::insert(did, DidState::Active(record));
        Ok(())
    }

    pub(crate) fn do_add_keys(did: DidId, record: &mut DidRecord, keys: Vec<DidKeyInput>) -> DispatchResult {
        ensure!(!keys.is_empty(), Error::<T>::EmptyUpdate);
        keys.into_iter().try_for_each(|key| Self::take_up(did, record, key))
    }

    pub(crate) fn do_rotate_key(did: DidId, record: &mut DidRecord, old: u32, new: DidKeyInput) -> DispatchResult {
        Self::drop_key(did, record, old)?;
        Self::deposit_event(Event::KeyRetired { did, key_id: old });
        Self::take_up(did, record, new)
    }

    pub(crate) fn do_revoke_keys(did: DidId, record: &mut DidRecord, keys: BTreeSet<u32>) -> DispatchResult {
        ensure!(!keys.is_empty(), Error::<T>::EmptyUpdate);
        let mut revoked = RevokedKeys::<T>::get(did);
        for key_id in keys {
            ensure!((1..=record.last_key).contains(&key_id), Error::<T>::KeyNotFound);
            let is_new = revoked.try_insert(key_id).map_err(|_| Error::<T>::TooManyKeys)?;
            ensure!(is_new, Error::<T>::AlreadyRevoked);
            if Keys::<T>::contains_key(did, key_id) {
                Self::drop_key(did, record, key_id)?;
            }
            Self::deposit_event(Event::KeyRevoked { did, key_id });
        }
        RevokedKeys::<T>::insert(did, revoked);
        Ok(())
    }

    pub(crate) fn do_add_controllers(did: DidId, record: &mut DidRecord, controllers: BTreeSet<Did>) -> DispatchResult {
        ensure!(!controllers.is_empty(), Error::<T>::EmptyUpdate);
        controllers.into_iter().try_for_each(|controller| Self::put_controller(did, record, controller))
    }

    pub(crate) fn do_remove_controllers(
        did: DidId,
        record: &mut DidRecord,
        controllers: BTreeSet<Did>,
    ) -> DispatchResult {
        ensure!(!controllers.is_empty(), Error::<T>::EmptyUpdate);
        for controller in controllers {
            Controllers::<T>::take(did, &controller).ok_or(Error::<T>::ControllerNotFound)?;
            record.controllers = record.controllers.saturating_sub(1);
            Self::deposit_event(Event::ControllerRemoved { did, controller });
        }
        Ok(())
    }

    pub(crate) fn do_set_service(did: DidId, record: &mut DidRecord, service: ServiceEntry) -> DispatchResult {
        let (id, service) = service.bounded().ok_or(Error::<T>::BadService)?;
        Self::put_service(did, record, id, service)
    }

    pub(crate) fn do_remove_service(did: DidId, record: &mut DidRecord, id: Vec<u8>) -> DispatchResult {
        let id = ServiceField::try_from(id).map_err(|_| Error::<T>::ServiceNotFound)?;
        let old = Services::<T>::take(did, &id).ok_or(Error::<T>::ServiceNotFound)?;
        record.services = record.services.saturating_sub(1);
        Self::deposit_event(Event::ServiceRemoved { did, id, old });
        Ok(())
    }

    pub(crate) fn do_deactivate(actor: &Did, did: DidId) -> DispatchResult {
        Self::controlled(actor, did)?;
        ensure!(!T::Conveners::contains(&Did::Svc(did)), Error::<T>::StillConvener);
        for key_id in Keys::<T>::iter_key_prefix(did).collect::<Vec<_>>() {
            Keys::<T>::remove(did, key_id);
        }
        for controller in Controllers::<T>::iter_key_prefix(did).collect::<Vec<_>>() {
            Controllers::<T>::remove(did, controller);
        }
        for id in Services::<T>::iter_key_prefix(did).collect::<Vec<_>>() {
            Services::<T>::remove(did, id);
        }
        RevokedKeys::<T>::remove(did);
        Nonces::<T>::remove(Did::Svc(did));
        Dids::<T>::insert(did, DidState::Deactivated);
        Self::deposit_event(Event::Deactivated { did });
        Ok(())
    }

    /// Adds a key to an existing DID. An Ed25519 key must prove its possession.
    fn take_up(did: DidId, record: &mut DidRecord, input: DidKeyInput) -> DispatchResult {
        let DidKeyInput { key, relationships, possession } = input;
        if matches!(key, PublicKey::Ed25519(_)) {
            let payload =
                PossessionPayload { tag: POSSESSION_TAG, genesis_hash: Self::genesis_hash(), did, key: key.clone() };
            let signature = possession.ok_or(Error::<T>::BadPossession)?;
            ensure!(Self::verify(&key, &signature, &payload.encode()), Error::<T>::BadPossession);
        }
        Self::put_key(did, record, KeyEntry { key, relationships })
    }

    fn put_key(did: DidId, record: &mut DidRecord, entry: KeyEntry) -> DispatchResult {
        let entry = entry.resolved().ok_or(Error::<T>::BadRelationships)?;
        ensure!(!entry.key.is_weak(), Error::<T>::WeakKey);
        ensure!(record.keys < MAX_KEYS && record.last_key < MAX_KEY_NUMBERS, Error::<T>::TooManyKeys);
        record.keys = record.keys.saturating_add(1);
        record.last_key = record.last_key.saturating_add(1);
        record.control_keys = record.control_keys.saturating_add(u32::from(entry.controls()));
        Keys::<T>::insert(did, record.last_key, &entry);
        let KeyEntry { key, relationships } = entry;
        Self::deposit_event(Event::KeyAdded { did, key_id: record.last_key, key, relationships });
        Ok(())
    }

    fn drop_key(did: DidId, record: &mut DidRecord, key_id: u32) -> DispatchResult {
        let entry = Keys::<T>::take(did, key_id).ok_or(Error::<T>::KeyNotFound)?;
        record.keys = record.keys.saturating_sub(1);
        record.control_keys = record.control_keys.saturating_sub(u32::from(entry.controls()));
        Ok(())
    }

    fn put_controller(did: DidId, record: &mut DidRecord, controller: Did) -> DispatchResult {
        let can_control = match controller {
            Did::Svc(id) if id == did => false,
            Did::Svc(id) => matches!(Dids::<T>::get(id), Some(DidState::Active(other)) if other.control_keys > 0),
            Did::Key(DidKey::Ed25519(key)) => !is_small_order_ed25519(&key),
            Did::Key(DidKey::Secp256k1(_)) | Did::Other(_) => false,
        };
        ensure!(can_control, Error::<T>::BadController);
        ensure!(!Controllers::<T>::contains_key(did, &controller), Error::<T>::AlreadyExists);
        ensure!(record.controllers < MAX_CONTROLLERS, Error::<T>::TooManyControllers);
        record.controllers = record.controllers.saturating_add(1);
        Controllers::<T>::insert(did, &controller, ());
        Self::deposit_event(Event::ControllerAdded { did, controller });
        Ok(())
    }

    fn put_service(did: DidId, record: &mut DidRecord, id: ServiceField, new: crate::Service) -> DispatchResult {
        let old = Services::<T>::get(did, &id);
        if old.as_ref() == Some(&new) {
            return Ok(());
        }
        if old.is_none() {
            ensure!(record.services < MAX_SERVICES, Error::<T>::TooManyServices);
            record.services = record.services.saturating_add(1);
        }
        Services::<T>::insert(did, &id, &new);
        Self::deposit_event(Event::ServiceSet { did, id, old, new });
        Ok(())
    }
}

/// R, the first half of an Ed25519 signature.
fn commitment(signature: &[u8; 64]) -> [u8; 32] {
    let mut point = [0; 32];
    point.copy_from_slice(&signature[..32]);
    point
}
