//! Invariants that hold between any two calls.

use frame_support::ensure;

use crate::{
    limits::*, Config, Controllers, DidId, DidRecord, DidState, Dids, Keys, Nonces, Pallet, RevokedKeys, Services,
};

impl<T: Config> Pallet<T> {
    /// Checks that active DIDs are consistent and that nothing but a tombstone is left of deactivated ones.
    pub fn check_invariants() -> Result<(), &'static str> {
        for (did, state) in Dids::<T>::iter() {
            match state {
                DidState::Active(record) => Self::check_active(did, record)?,
                DidState::Deactivated => {
                    ensure!(!Nonces::<T>::contains_key(crate::Did::Svc(did)), "a tombstone has a nonce")
                }
            }
        }
        let is_active = |did: &DidId| matches!(Dids::<T>::get(did), Some(DidState::Active(_)));
        ensure!(Keys::<T>::iter_keys().all(|(did, _)| is_active(&did)), "a key belongs to no active DID");
        ensure!(Controllers::<T>::iter_keys().all(|(did, _)| is_active(&did)), "a controller belongs to no active DID");
        ensure!(Services::<T>::iter_keys().all(|(did, _)| is_active(&did)), "a service belongs to no active DID");
        ensure!(RevokedKeys::<T>::iter_keys().all(|did| is_active(&did)), "revoked keys belong to no active DID");
        Ok(())
    }

    fn check_active(did: DidId, record: DidRecord) -> Result<(), &'static str> {
        let counted = DidRecord {
            last_key: record.last_key,
            keys: Keys::<T>::iter_key_prefix(did).count() as u32,
            control_keys: Keys::<T>::iter_prefix_values(did).filter(|entry| entry.controls()).count() as u32,
            controllers: Controllers::<T>::iter_key_prefix(did).count() as u32,
            services: Services::<T>::iter_key_prefix(did).count() as u32,
        };
        ensure!(counted == record, "stored counts of a DID differ from what it holds");
        ensure!(record.is_controlled(), "nobody controls an active DID");
        ensure!(record.keys <= MAX_KEYS && record.last_key <= MAX_KEY_NUMBERS, "too many keys");
        ensure!(record.controllers <= MAX_CONTROLLERS && record.services <= MAX_SERVICES, "too much in one DID");
        let known = |number: &u32| (1..=record.last_key).contains(number);
        ensure!(Keys::<T>::iter_key_prefix(did).all(|number| known(&number)), "a key has a number never given");
        let revoked = RevokedKeys::<T>::get(did);
        ensure!(revoked.iter().all(known), "a revoked key has a number never given");
        ensure!(!revoked.iter().any(|number| Keys::<T>::contains_key(did, number)), "a revoked key is in use");
        Ok(())
    }
}
