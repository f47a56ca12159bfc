//! Invariants that hold between any two calls.

use frame_support::ensure;

use crate::{limits::MAX_MOTIONS_OF_MEMBER, Config, KeysChanged, Motions, Pallet, Validators};

impl<T: Config> Pallet<T> {
    /// Checks that the list of validators is ascending, so that it names none twice; that a time of a change of keys is
    /// kept for validators of the list alone; and that no member has too many motions.
    pub fn check_invariants() -> Result<(), &'static str> {
        let listed = Validators::<T>::get();
        let ascending = listed.iter().zip(listed.iter().skip(1)).all(|(one, next)| one < next);
        ensure!(ascending, "the list of validators is not ascending");
        let of_list = KeysChanged::<T>::iter_keys().all(|account| listed.contains(&account));
        ensure!(of_list, "a change of keys is kept of an account that is no validator");
        let motions = Motions::<T>::get();
        let few = |member| motions.iter().filter(|(_, by)| by == member).count() <= MAX_MOTIONS_OF_MEMBER;
        ensure!(motions.iter().all(|(_, member)| few(member)), "a member has too many motions");
        Ok(())
    }
}
