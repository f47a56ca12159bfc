//! # Revocation
//!
//! Records which credentials are revoked, in the bits of status lists and the values of accumulators.
//!
//! Terms:
//! - **Registry**: a list of bits, or an accumulator; credentials name it and an index in it.
//! - **Accumulator**: a value that members prove to be part of. The ledger knows members by their index, and which of
//!   them were revoked. It checks what an update declares, not the arithmetic of its value.
//! - **Policy**: the DIDs that may change the registry, each of them alone. It is fixed; keys rotate inside the DIDs.
//! - **Add-only**: what is revoked stays revoked, and the registry cannot be removed.
//!
//! Assumption: only DIDs act, through the DID pallet.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod accumulator;
mod actions;
#[cfg(any(test, feature = "runtime-benchmarks"))]
mod benchmarks;
mod chunk;
mod invariants;
pub mod limits;
mod registry;
#[cfg(test)]
mod tests;
mod weights;

pub use chunk::{Chunk, CHUNK_BITS};
pub use pallet::*;
pub use registry::{AccumulatorField, Kind, KindInput, Policy, Registry, RegistryState};
pub use weights::{Measured, WeightInfo};

#[frame_support::pallet]
pub mod pallet {
    use alloc::{collections::BTreeSet, vec::Vec};
    use frame_support::pallet_prelude::*;
    use frame_system::pallet_prelude::*;
    use pallet_did::Did;
    use sp_core::H256;

    use crate::{
        accumulator::AccumulatorUpdate,
        chunk::chunks_at_most,
        limits::{MAX_INDEXES, MAX_WITNESS_UPDATE},
        AccumulatorField, Chunk, Kind, KindInput, Policy, RegistryState, WeightInfo,
    };

    #[pallet::config]
    pub trait Config: frame_system::Config<RuntimeEvent: From<Event<Self>>> {
        /// Accepts a DID that acts.
        type ActorOrigin: EnsureOrigin<Self::RuntimeOrigin, Success = Did>;
        /// Weights of the calls.
        type WeightInfo: WeightInfo;
    }

    const STORAGE_VERSION: StorageVersion = StorageVersion::new(1);

    #[pallet::pallet]
    #[pallet::storage_version(STORAGE_VERSION)]
    pub struct Pallet<T>(_);

    /// State of every registry that was ever created.
    #[pallet::storage]
    pub type Registries<T> = StorageMap<_, Blake2_128Concat, H256, RegistryState>;

    /// Status bits, and removed members of accumulators, by registry and number of the chunk. A chunk without a set bit
    /// is not stored.
    #[pallet::storage]
    pub type Chunks<T> = StorageDoubleMap<_, Blake2_128Concat, H256, Twox64Concat, u32, Chunk>;

    /// Indexes that changed in one call.
    pub type Indexes = BoundedVec<u32, ConstU32<MAX_INDEXES>>;
    /// Information from which holders update their witnesses.
    pub type WitnessUpdate = BoundedVec<u8, ConstU32<MAX_WITNESS_UPDATE>>;

    #[pallet::event]
    #[pallet::generate_deposit(pub(crate) fn deposit_event)]
    pub enum Event<T: Config> {
        /// A registry was created. Its version is 0, and nothing in it is revoked.
        #[codec(index = 0)]
        RegistryCreated {
            /// The registry.
            registry_id: H256,
            /// The DIDs that may change it.
            policy: Policy,
            /// Whether what is revoked stays revoked.
            add_only: bool,
            /// Its kind, with a status list's length or an accumulator's key and first value.
            kind: Kind,
        },
        /// Status bits changed. Bits that already had the value asked for are not named.
        #[codec(index = 1)]
        StatusChanged {
            /// The registry.
            registry_id: H256,
            /// Indexes that are revoked from now on, ascending.
            revoked: Indexes,
            /// Indexes that are no longer revoked, ascending.
            unrevoked: Indexes,
            /// The registry's version from now on.
            version: u32,
        },
        /// An accumulator has a new value.
        #[codec(index = 2)]
        AccumulatorUpdated {
            /// The registry.
            registry_id: H256,
            /// The value until now.
            old_accumulated: AccumulatorField,
            /// The value from now on.
            new_accumulated: AccumulatorField,
            /// Members that were added, ascending.
            additions: Indexes,
            /// Members that were revoked, ascending.
            removals: Indexes,
            /// Information from which holders update their witnesses.
            witness_update_info: WitnessUpdate,
            /// The registry's version from now on.
            version: u32,
        },
        /// A registry was removed permanently.
        #[codec(index = 3)]
        RegistryRemoved {
            /// The registry.
            registry_id: H256,
        },
    }

    #[pallet::error]
    pub enum Error<T> {
        /// There is no such registry.
        #[codec(index = 0)]
        NotFound,
        /// The registry was removed.
        #[codec(index = 1)]
        Removed,
        /// The id is taken.
        #[codec(index = 2)]
        AlreadyExists,
        /// The actor is not in the policy.
        #[codec(index = 3)]
        NotAuthorized,
        /// More than 15 DIDs in a policy.
        #[codec(index = 4)]
        TooManyPolicyDids,
        /// The length or a size of this kind of registry is not allowed.
        #[codec(index = 5)]
        BadKind,
        /// More than 1,000 indexes in one call.
        #[codec(index = 6)]
        TooManyIndexes,
        /// There is nothing to do.
        #[codec(index = 7)]
        EmptyUpdate,
        /// The registry is of the other kind.
        #[codec(index = 8)]
        WrongKind,
        /// The registry is add-only: what is revoked stays revoked, and the registry cannot be removed.
        #[codec(index = 9)]
        AddOnly,
        /// One call cannot both revoke and unrevoke an index, or both add and remove a member.
        #[codec(index = 10)]
        IndexInBoth,
        /// An index is beyond the end of the list, or of the members that an accumulator can have.
        #[codec(index = 11)]
        IndexOutOfRange,
        /// The registry's version is not the expected one.
        #[codec(index = 12)]
        VersionMismatch,
        /// The new value is empty or too long, or the witness information is too long.
        #[codec(index = 13)]
        BadAccumulator,
        /// A member to be removed is removed already.
        #[codec(index = 14)]
        AlreadyRevoked,
    }

    #[pallet::call]
    impl<T: Config> Pallet<T> {
        /// Creates a registry. The actor must be in its policy.
        #[pallet::call_index(0)]
        #[pallet::weight(T::WeightInfo::create(policy.len() as u32))]
        pub fn create(
            origin: OriginFor<T>,
            registry_id: H256,
            policy: BTreeSet<Did>,
            add_only: bool,
            kind: KindInput,
        ) -> DispatchResult {
            let actor = T::ActorOrigin::ensure_origin(origin)?;
            Self::do_create(actor, registry_id, policy, add_only, kind)
        }

        /// Sets and clears status bits: revokes and unrevokes indexes.
        #[pallet::call_index(1)]
        #[pallet::weight({
            let indexes = (revoke.len() as u32).saturating_add(unrevoke.len() as u32);
            T::WeightInfo::set_status(indexes, chunks_at_most(indexes))
        })]
        pub fn set_status(
            origin: OriginFor<T>,
            registry_id: H256,
            revoke: BTreeSet<u32>,
            unrevoke: BTreeSet<u32>,
        ) -> DispatchResult {
            let actor = T::ActorOrigin::ensure_origin(origin)?;
            Self::do_set_status(actor, registry_id, revoke, unrevoke)
        }

        /// Gives an accumulator a new value, with the members that it adds and removes.
        ///
        /// An update names the version that it follows, so that no two updates start from the same value.
        #[pallet::call_index(2)]
        #[pallet::weight({
            let members = (additions.len() as u32).saturating_add(removals.len() as u32);
            T::WeightInfo::update_accumulator(members, chunks_at_most(members), witness_update_info.len() as u32)
        })]
        pub fn update_accumulator(
            origin: OriginFor<T>,
            registry_id: H256,
            expected_version: u32,
            accumulated: Vec<u8>,
            additions: BTreeSet<u32>,
            removals: BTreeSet<u32>,
            witness_update_info: Vec<u8>,
        ) -> DispatchResult {
            let actor = T::ActorOrigin::ensure_origin(origin)?;
            let update = AccumulatorUpdate { expected_version, accumulated, additions, removals, witness_update_info };
            Self::do_update_accumulator(actor, registry_id, update)
        }

        /// Removes a registry permanently.
        #[pallet::call_index(3)]
        #[pallet::weight(T::WeightInfo::remove())]
        pub fn remove(origin: OriginFor<T>, registry_id: H256) -> DispatchResult {
            let actor = T::ActorOrigin::ensure_origin(origin)?;
            Self::do_remove(actor, registry_id)
        }
    }

    #[pallet::hooks]
    impl<T: Config> Hooks<BlockNumberFor<T>> for Pallet<T> {
        #[cfg(feature = "try-runtime")]
        fn try_state(_: BlockNumberFor<T>) -> Result<(), sp_runtime::TryRuntimeError> {
            Self::check_invariants().map_err(Into::into)
        }
    }
}
