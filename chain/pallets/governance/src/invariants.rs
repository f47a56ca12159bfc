//! Invariants that hold between any two calls.

use frame_support::ensure;

use crate::{Config, Pallet, Validators};

impl<T: Config> Pallet<T> {
    /// Checks that the list of validators is ascending, so that it names none twice.
    pub fn check_invariants() -> Result<(), &'static str> {
        let listed = Validators::<T>::get();
        let ascending = listed.iter().zip(listed.iter().skip(1)).all(|(one, next)| one < next);
        ensure!(ascending, "the list of validators is not ascending");
        Ok(())
    }
}
