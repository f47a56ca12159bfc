//! The number of motions that a member of the council may have open, so that no member takes the places of the others.

use alloc::vec::Vec;
use frame_support::ensure;
use sp_runtime::DispatchResult;

use crate::{limits::MAX_MOTIONS_OF_MEMBER, Config, Error, Motions, OpenMotions, Pallet};

impl<T: Config> Pallet<T> {
    /// Notes who made the last of the open motions, and refuses it where the member has too many others.
    pub fn note_motion(member: &T::AccountId, open: &[T::Hash]) -> DispatchResult {
        let noted = Motions::<T>::get().into_iter();
        let mut motions: Vec<_> = noted.filter(|(motion, _)| open.contains(motion)).collect();
        let own = motions.iter().filter(|(_, by)| by == member).count();
        ensure!(own < MAX_MOTIONS_OF_MEMBER, Error::<T>::TooManyMotions);
        motions.extend(open.last().map(|motion| (*motion, member.clone())));
        let motions = OpenMotions::<T>::try_from(motions).map_err(|_| Error::<T>::TooManyMotions)?;
        Motions::<T>::put(motions);
        Ok(())
    }
}
