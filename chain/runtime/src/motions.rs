//! The price of a motion for the member of the council that makes it: one of the few places that each member has.

use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use frame_support::traits::{Consideration, MaybeConsideration};
use scale_info::TypeInfo;
use sp_runtime::{DispatchError, DispatchResult};

use crate::{AccountId, Governance, Runtime};

/// The ticket of a motion. Nothing is kept of it: the place is free again when the motion has ended.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, MaxEncodedLen, PartialEq, TypeInfo)]
pub struct FewMotions;

impl Consideration<AccountId, u32> for FewMotions {
    /// The council's pallet calls this when the motion is the last of the open ones.
    fn new(member: &AccountId, _: u32) -> Result<Self, DispatchError> {
        let open = pallet_collective::Proposals::<Runtime>::get();
        Governance::note_motion(member, &open)?;
        Ok(FewMotions)
    }

    fn update(self, _: &AccountId, _: u32) -> Result<Self, DispatchError> {
        Ok(self)
    }

    fn drop(self, _: &AccountId) -> DispatchResult {
        Ok(())
    }

    #[cfg(feature = "runtime-benchmarks")]
    fn ensure_successful(_: &AccountId, _: u32) {}
}

impl MaybeConsideration<AccountId, u32> for FewMotions {
    fn is_none(&self) -> bool {
        true
    }
}
