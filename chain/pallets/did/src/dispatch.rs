//! Acting as a DID: who may, and how the calls are made.

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
        let mut spent = T::WeightInfo::dispatch_as(calls.encoded_size() as u32);
        let Authorization { did, key_id, nonce, .. } = authorization;
        let (relationships, calls) =
            Self::authorize(&submitter, authorization, calls).map_err(|error| refund(error, spent))?;
        Nonces::<T>::insert(did, nonce);
        let call_hash = blake2_256(&calls.encode());
        Self::deposit_event(Event::Dispatched { did, key_id, nonce, submitter, call_hash });
        for call in calls {
            let info = call.get_dispatch_info();
            let result = call.dispatch(DidOrigin { did, relationships }.into());
            spent = spent.saturating_add(extract_actual_weight(&result, &info));
            result.map_err(|failure| refund(failure.error, spent))?;
        }
        Ok(Some(spent).into())
    }

    /// Checks an authorisation, in the order that makes its errors predictable.
    fn authorize(
        submitter: &T::AccountId,
        authorization: Authorization,
        calls: Vec<CallOf<T>>,
    ) -> Result<(Relationships, Vec<CallOf<T>>), DispatchError> {
        let Authorization { did, key_id, nonce, valid_until, signature } = authorization;
        ensure!(!calls.is_empty(), Error::<T>::EmptyUpdate);
        ensure!(calls.len() <= MAX_CALLS as usize, Error::<T>::TooManyCalls);
        ensure!(calls.iter().all(T::DidCalls::contains), Error::<T>::CallNotAllowed);

        let KeyEntry { key, relationships } = Self::acting_key(&did, key_id)?;
        let acts = matches!(key, PublicKey::Ed25519(_)) && relationships.intersects(Relationships::ACTING);
        ensure!(acts, Error::<T>::KeyNotAuthorized);

        let now = T::Time::now();
        ensure!(now <= valid_until, Error::<T>::Expired);
        ensure!(valid_until <= now.saturating_add(MAX_VALIDITY_MS), Error::<T>::ValidTooLong);
        ensure!(Nonces::<T>::get(did).checked_add(1) == Some(nonce), Error::<T>::BadNonce);

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
        ensure!(Self::verify(&key, &signature, &payload.encode()), Error::<T>::BadSignature);
        Ok((relationships, payload.calls))
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
            Did::Key(DidKey::Secp256k1(_)) => Err(Error::<T>::KeyNotAuthorized.into()),
        }
    }
}

fn refund(error: DispatchError, spent: Weight) -> DispatchErrorWithPostInfo {
    DispatchErrorWithPostInfo { post_info: Some(spent).into(), error }
}
