//! Actions of a DID: checks of the authorisation, and execution of the calls.

use alloc::vec::Vec;
use codec::Encode;
use frame_support::{
    dispatch::{extract_actual_weight, DispatchErrorWithPostInfo, DispatchResultWithPostInfo, GetDispatchInfo},
    ensure,
    pallet_prelude::Weight,
    traits::{Contains, Time},
};
use sp_io::hashing::blake2_256;
use sp_runtime::{traits::Dispatchable, DispatchError};

use crate::{
    limits::*, payload::*, Authorization, Config, Did, DidKey, DidOrigin, Error, Event, KeyEntry, Keys, Nonces, Pallet,
    PublicKey, Relationships, WeightInfo,
};

type CallOf<T> = <T as Config>::RuntimeCall;

impl<T: Config> Pallet<T> {
    pub(crate) fn do_dispatch_as(
        submitter: T::AccountId,
        authorization: Authorization,
        calls: Vec<CallOf<T>>,
    ) -> DispatchResultWithPostInfo {
        let spent = T::WeightInfo::dispatch_as(calls.encoded_size() as u32);
        let (key, calls) = Self::authorize(&submitter, &authorization, calls).map_err(|error| refund(error, spent))?;
        Self::make_calls(submitter, &authorization, key.relationships, calls, spent)
    }

    /// Does what `dispatch_as` would do if the authorisation were signed. Dry runs call it before the actor signs; no
    /// extrinsic reaches it.
    pub fn dispatch_as_if_signed(
        submitter: T::AccountId,
        authorization: &Authorization,
        calls: Vec<CallOf<T>>,
    ) -> DispatchResultWithPostInfo {
        let KeyEntry { relationships, .. } = Self::acting_key_at(authorization, &calls)?;
        Self::make_calls(submitter, authorization, relationships, calls, Weight::zero())
    }

    fn make_calls(
        submitter: T::AccountId,
        authorization: &Authorization,
        relationships: Relationships,
        calls: Vec<CallOf<T>>,
        mut spent: Weight,
    ) -> DispatchResultWithPostInfo {
        let Authorization { did, key_id, nonce, .. } = authorization.clone();
        Nonces::<T>::insert(&did, nonce);
        let call_hash = blake2_256(&calls.encode());
        Self::deposit_event(Event::Dispatched { did: did.clone(), key_id, nonce, submitter, call_hash });
        for call in calls {
            let info = call.get_dispatch_info();
            let result = call.dispatch(DidOrigin { did: did.clone(), relationships }.into());
            spent = spent.saturating_add(extract_actual_weight(&result, &info));
            result.map_err(|failure| refund(failure.error, spent))?;
        }
        Ok(Some(spent).into())
    }

    /// Checks an authorisation in a fixed order, so that its errors are predictable.
    fn authorize(
        submitter: &T::AccountId,
        authorization: &Authorization,
        calls: Vec<CallOf<T>>,
    ) -> Result<(KeyEntry, Vec<CallOf<T>>), DispatchError> {
        let entry = Self::acting_key_at(authorization, &calls)?;
        let Authorization { did, key_id, nonce, valid_until, signature } = authorization.clone();
        let payload = ActionPayload {
            tag: ACTION_TAG,
            genesis_hash: Self::genesis_hash(),
            transaction_version: Self::transaction_version(),
            did,
            key_id,
            nonce,
            valid_until,
            submitter: submitter.clone(),
            calls,
        };
        ensure!(Self::verify(&entry.key, &signature, &payload.encode()), Error::<T>::BadSignature);
        Ok((entry, payload.calls))
    }

    /// Returns the key that an authorisation names, provided that all but its signature is valid at this moment.
    fn acting_key_at(
        Authorization { did, key_id, nonce, valid_until, .. }: &Authorization,
        calls: &[CallOf<T>],
    ) -> Result<KeyEntry, DispatchError> {
        ensure!(!calls.is_empty(), Error::<T>::EmptyUpdate);
        ensure!(calls.len() <= MAX_CALLS as usize, Error::<T>::TooManyCalls);
        ensure!(calls.iter().all(T::DidCalls::contains), Error::<T>::CallNotAllowed);

        let entry = Self::acting_key(did, *key_id)?;
        let acts = matches!(entry.key, PublicKey::Ed25519(_)) && entry.relationships.intersects(Relationships::ACTING);
        ensure!(acts, Error::<T>::KeyNotAuthorized);
        ensure!(!entry.key.is_weak(), Error::<T>::WeakKey);

        let now = T::Time::now();
        ensure!(now <= *valid_until, Error::<T>::Expired);
        ensure!(*valid_until <= now.saturating_add(MAX_VALIDITY_MS), Error::<T>::ValidTooLong);
        ensure!(Nonces::<T>::get(did).checked_add(1) == Some(*nonce), Error::<T>::BadNonce);
        Ok(entry)
    }

    fn acting_key(did: &Did, key_id: u32) -> Result<KeyEntry, DispatchError> {
        match did {
            Did::Svc(id) => {
                Self::record(*id)?;
                Keys::<T>::get(id, key_id).ok_or(Error::<T>::KeyNotFound.into())
            }
            Did::Key(DidKey::Ed25519(bytes)) => {
                ensure!(key_id == 0, Error::<T>::KeyNotFound);
                let key = PublicKey::Ed25519(*bytes);
                let relationships = key.capabilities();
                Ok(KeyEntry { key, relationships })
            }
            Did::Key(DidKey::Secp256k1(_)) | Did::Other(_) => Err(Error::<T>::KeyNotAuthorized.into()),
        }
    }
}

fn refund(error: DispatchError, spent: Weight) -> DispatchErrorWithPostInfo {
    DispatchErrorWithPostInfo { post_info: Some(spent).into(), error }
}
