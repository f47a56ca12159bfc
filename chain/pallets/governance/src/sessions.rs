//! The answers to the session pallet: when a session ends, and who the validators of the next are.

use alloc::vec::Vec;
use frame_support::traits::Get;
use frame_system::pallet_prelude::BlockNumberFor;
use pallet_session::{historical, QueuedChanged, QueuedKeys, SessionManager, ShouldEndSession};
use sp_runtime::traits::Zero;
use sp_staking::SessionIndex;

use crate::{limits::KEPT_SESSIONS, Config, Pallet, Validators};

/// An account of a validator, and its session keys.
type WithKeys<T> = (<T as frame_system::Config>::AccountId, <T as pallet_session::Config>::Keys);

impl<T: Config> Pallet<T> {
    /// Whether a session ends in this block where something has changed.
    pub(crate) fn may_end_session(now: BlockNumberFor<T>) -> bool {
        (now % T::SessionBlocks::get()).is_zero()
    }

    /// The validators of the list with the keys that they have set; none where the list is empty, or where one has no
    /// keys: until runtime 9 a validator could take them back. It stays until the council removes it: no validator
    /// leaves by itself, and no session begins without validators.
    fn listed() -> Option<Vec<WithKeys<T>>> {
        let listed = Validators::<T>::get();
        if listed.is_empty() {
            return None;
        }
        let with_keys = |account| {
            let keys = pallet_session::Pallet::<T>::load_keys(&account)?;
            Some((account, keys))
        };
        listed.into_iter().map(with_keys).collect()
    }
}

impl<T: Config> ShouldEndSession<BlockNumberFor<T>> for Pallet<T> {
    fn should_end_session(now: BlockNumberFor<T>) -> bool {
        if !Self::may_end_session(now) {
            return false;
        }
        Self::listed().is_some_and(|listed| QueuedChanged::<T>::get() || listed != QueuedKeys::<T>::get())
    }
}

impl<T: Config> SessionManager<T::AccountId> for Pallet<T> {
    /// Returns the list where it, or a key of it, is another one than that of the session that begins now. A list that
    /// is returned begins a new authority set, whose id would otherwise grow with each session.
    fn new_session(_: SessionIndex) -> Option<Vec<T::AccountId>> {
        let listed = Self::listed()?;
        let is_new = listed != QueuedKeys::<T>::get();
        is_new.then(|| listed.into_iter().map(|(account, _)| account).collect())
    }

    fn start_session(_: SessionIndex) {}

    fn end_session(_: SessionIndex) {}
}

/// The same, for the pallet that keeps whose keys were whose: of each session in which a key changed, its root.
impl<T: Config> historical::SessionManager<T::AccountId, ()> for Pallet<T> {
    fn new_session(index: SessionIndex) -> Option<Vec<(T::AccountId, ())>> {
        let listed = <Self as SessionManager<_>>::new_session(index)?;
        Some(listed.into_iter().map(|account| (account, ())).collect())
    }

    fn start_session(_: SessionIndex) {}

    /// Lets go of the session that is too long ago to be called to account for.
    fn end_session(index: SessionIndex) {
        if let Some(oldest) = index.checked_sub(KEPT_SESSIONS) {
            historical::Pallet::<T>::prune_up_to(oldest);
        }
    }
}
