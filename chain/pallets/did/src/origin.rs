//! The origin of calls that a DID makes.

use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use core::marker::PhantomData;
use frame_support::traits::{Contains, EnsureOrigin, OriginTrait};
use scale_info::TypeInfo;

use crate::{Config, Did, DidState, Dids, Pallet, Relationships};

/// Origin of a call that a DID makes through a key with these relationships.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, MaxEncodedLen, PartialEq, TypeInfo)]
pub struct DidOrigin {
    /// The DID that acts.
    pub did: Did,
    /// The verification relationships of the key that signed.
    pub relationships: Relationships,
}

/// Accepts a DID that is active at this moment and acts through a key with any of the relationships `R`.
pub struct EnsureDid<T, const R: u8>(PhantomData<T>);

/// Origin that calls need to change a DID.
pub type EnsureController<T> = EnsureDid<T, { Relationships::CAPABILITY_INVOCATION.0 }>;
/// Origin that every other action needs.
pub type EnsureActor<T> = EnsureDid<T, { Relationships::ACTING.0 }>;

impl<T, O, const R: u8> EnsureOrigin<O> for EnsureDid<T, R>
where
    T: Config,
    O: OriginTrait,
    for<'a> &'a O::PalletsOrigin: TryInto<&'a DidOrigin>,
{
    type Success = Did;

    fn try_origin(origin: O) -> Result<Did, O> {
        let acting: Option<Did> = match origin.caller().try_into() {
            Ok(DidOrigin { did, relationships }) if relationships.intersects(Relationships(R)) => Some(did.clone()),
            _ => None,
        };
        acting.filter(Pallet::<T>::is_active).ok_or(origin)
    }

    /// Benchmarks make the origins that they need.
    #[cfg(feature = "runtime-benchmarks")]
    fn try_successful_origin() -> Result<O, ()> {
        Err(())
    }
}

/// The DIDs of the ledger that were deactivated.
pub struct DeactivatedDids<T>(PhantomData<T>);

impl<T: Config> Contains<Did> for DeactivatedDids<T> {
    fn contains(did: &Did) -> bool {
        matches!(did, Did::Svc(id) if matches!(Dids::<T>::get(id), Some(DidState::Deactivated)))
    }
}

/// The DIDs that can act at this moment.
pub struct ActiveDids<T>(PhantomData<T>);

impl<T: Config> Contains<Did> for ActiveDids<T> {
    fn contains(did: &Did) -> bool {
        Pallet::<T>::is_active(did)
    }
}
