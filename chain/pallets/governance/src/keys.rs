//! The time between two changes of the session keys of a validator. Each change is one authority set more, and makes
//! every later proof longer by its hand-over: a validator that changed them in each session would end proofs within
//! hours.

use frame_support::{ensure, traits::Get};
use frame_system::pallet_prelude::BlockNumberFor;
use sp_runtime::{traits::Saturating, DispatchResult};

use crate::{Config, Error, KeysChanged, Pallet, Validators};

impl<T: Config> Pallet<T> {
    /// Notes a change of the keys of a validator of the list, and refuses it where the last one is too young. Whoever
    /// is not on the list sets keys as often as it likes: they are nobody's until the council votes for it.
    pub(crate) fn note_keys(account: &T::AccountId, keys: &T::Keys) -> DispatchResult {
        let changes = pallet_session::Pallet::<T>::load_keys(account).as_ref() != Some(keys);
        if !changes || !Validators::<T>::get().contains(account) {
            return Ok(());
        }
        let now = frame_system::Pallet::<T>::block_number();
        let is_due = |last: BlockNumberFor<T>| now.saturating_sub(last) >= T::KeysBlocks::get();
        ensure!(KeysChanged::<T>::get(account).is_none_or(is_due), Error::<T>::TooManyKeyChanges);
        KeysChanged::<T>::insert(account, now);
        Ok(())
    }
}
