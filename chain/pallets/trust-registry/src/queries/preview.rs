//! Preview of an update.

use alloc::vec::Vec;
use codec::{Decode, DecodeWithMemTracking, Encode};
use pallet_did::Did;
use scale_info::TypeInfo;
use sp_core::H256;
use sp_runtime::DispatchError;

use crate::{Change, Config, Pallet, SchemasUpdate};

/// The effect that an update would have, in the order of its events.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, PartialEq, TypeInfo)]
pub struct Preview {
    /// The changes of schemas.
    pub changes: Vec<Change>,
    /// The delegations that end with them, because their issuer is left without a schema.
    pub ended_delegations: Vec<EndedDelegation>,
}

/// A delegation that would end.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, PartialEq, TypeInfo)]
pub struct EndedDelegation {
    /// The issuer that delegates.
    pub issuer: Did,
    /// The delegate.
    pub delegate: Did,
}

impl<T: Config> Pallet<T> {
    pub(crate) fn preview(
        actor: Did,
        registry_id: H256,
        update: SchemasUpdate,
        expected_version: Option<u32>,
    ) -> Result<Preview, DispatchError> {
        let plan = Self::plan(actor, registry_id, update, expected_version)?;
        Ok(Preview { changes: plan.changes, ended_delegations: plan.ended_delegations })
    }
}
