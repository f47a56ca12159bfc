//! The end of a validator that voted for two blocks in one round: two such validators of four could make both final.
//!
//! It goes off the list, by the events that tell this and the new list, and is none from the second next session on.
//! The council may put it on the list again; the same offence is not told twice. The last validator stays, as in
//! `set_validators`: without one the ledger would stand still, and nobody could mend it.

use alloc::vec::Vec;
use core::marker::PhantomData;
use frame_support::{traits::Get, weights::Weight};
use sp_runtime::Perbill;
use sp_staking::{
    offence::{Offence, OffenceDetails, OffenceError, OnOffenceHandler, ReportOffence},
    SessionIndex,
};

use crate::{limits::MAX_VALIDATORS, Config, Event, Pallet, Validators};

/// A validator as offences name it.
type Identified<T> = (<T as frame_system::Config>::AccountId, ());

impl<T: Config> Pallet<T> {
    fn is_listed(account: &T::AccountId) -> bool {
        Validators::<T>::get().contains(account)
    }

    /// Takes a validator off the list.
    fn expel(validator: &T::AccountId) {
        let old = Validators::<T>::get();
        let mut new = old.clone();
        new.retain(|listed| listed != validator);
        if new == old {
            return;
        }
        Self::deposit_event(Event::Equivocated { validator: validator.clone() });
        if !new.is_empty() {
            Self::replace_list(old, new);
        }
    }
}

impl<T: Config> OnOffenceHandler<T::AccountId, Identified<T>, Weight> for Pallet<T> {
    /// The last offender is the one of this report; those of earlier ones of the same round are named before it.
    fn on_offence(offenders: &[OffenceDetails<T::AccountId, Identified<T>>], _: &[Perbill], _: SessionIndex) -> Weight {
        if let Some(OffenceDetails { offender: (validator, ()), .. }) = offenders.last() {
            Self::expel(validator);
        }
        T::DbWeight::get().reads_writes(1, u64::from(MAX_VALIDATORS).saturating_add(1))
    }
}

/// Reports of validators on the list alone go on to `R`. Whoever is off it could otherwise sign as many offences as it
/// likes, each of which is kept for ever and costs nothing.
pub struct OfListed<T, R>(PhantomData<(T, R)>);

impl<T, R, O> ReportOffence<T::AccountId, Identified<T>, O> for OfListed<T, R>
where
    T: Config,
    R: ReportOffence<T::AccountId, Identified<T>, O>,
    O: Offence<Identified<T>>,
{
    fn report_offence(reporters: Vec<T::AccountId>, offence: O) -> Result<(), OffenceError> {
        match offence.offenders().iter().any(|(validator, ())| Pallet::<T>::is_listed(validator)) {
            true => R::report_offence(reporters, offence),
            false => Err(OffenceError::DuplicateReport),
        }
    }

    fn is_known_offence(offenders: &[Identified<T>], slot: &O::Slot) -> bool {
        !offenders.iter().any(|(validator, ())| Pallet::<T>::is_listed(validator))
            || R::is_known_offence(offenders, slot)
    }
}
