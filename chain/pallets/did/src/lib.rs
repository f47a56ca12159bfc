//! # DIDs
//!
//! Stores decentralised identifiers with their keys, controllers and services, and is the only way to act on this
//! ledger.
//!
//! Terms:
//! - **DID**: one of this ledger (`did:svc`, 32 bytes), a `did:key`, which needs no registration, or the text of one of
//!   another method, which is only named.
//! - **Submitter**: the account that pays for an extrinsic. It has no authority of its own.
//! - **Actor**: the DID whose key signed the [`Authorization`] of a `dispatch_as`. Calls see it as their origin.
//! - **Controller**: a DID that may change another one. A DID with an Ed25519 key for capabilityInvocation controls
//!   itself; [`Controllers`] lists its other controllers.
//!
//! Assumptions: only Ed25519 keys authorise; block 0's hash is unique to a ledger; the clock is the timestamp pallet's.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod actions;
#[cfg(any(test, feature = "runtime-benchmarks"))]
mod benchmarks;
mod did;
mod dispatch;
mod invariants;
mod key;
pub mod limits;
mod origin;
pub mod payload;
mod record;
mod service;
#[cfg(test)]
mod tests;
mod uri;
mod weak_key;
mod weights;

pub use did::{Did, DidId, DidKey, DidText};
pub use key::{DidKeyInput, KeyEntry, PublicKey, Relationships};
pub use origin::{ActiveDids, DeactivatedDids, DidOrigin, EnsureActor, EnsureController, EnsureDid};
pub use pallet::*;
pub use record::{Authorization, DidRecord, DidState};
pub use service::{Service, ServiceEntry, ServiceField};
pub use weights::{Measured, WeightInfo};

#[frame_support::pallet]
pub mod pallet {
    use alloc::{boxed::Box, collections::BTreeSet, vec::Vec};
    use frame_support::{
        dispatch::{DispatchResultWithPostInfo, GetDispatchInfo, PostDispatchInfo},
        pallet_prelude::*,
        traits::{Contains, Time},
    };
    use frame_system::pallet_prelude::*;
    use sp_runtime::traits::Dispatchable;

    use crate::{
        limits, payload, Authorization, Did, DidId, DidKeyInput, DidOrigin, DidState, KeyEntry, PublicKey,
        Relationships, Service, ServiceEntry, ServiceField, WeightInfo,
    };

    #[pallet::config]
    pub trait Config: frame_system::Config<RuntimeEvent: From<Event<Self>>, RuntimeOrigin: From<DidOrigin>> {
        /// The runtime's calls.
        type RuntimeCall: Parameter
            + Dispatchable<RuntimeOrigin = Self::RuntimeOrigin, PostInfo = PostDispatchInfo>
            + GetDispatchInfo;
        /// The calls that a DID may make.
        type DidCalls: Contains<<Self as Config>::RuntimeCall>;
        /// Accepts a DID that acts through a key for capabilityInvocation.
        type ControllerOrigin: EnsureOrigin<Self::RuntimeOrigin, Success = Did>;
        /// DIDs that convene a trust registry. They cannot be deactivated.
        type Conveners: Contains<Did>;
        /// The clock, in milliseconds since 1970.
        type Time: Time<Moment = u64>;
        /// Weights of the calls.
        type WeightInfo: WeightInfo;
    }

    const STORAGE_VERSION: StorageVersion = StorageVersion::new(1);

    #[pallet::pallet]
    #[pallet::storage_version(STORAGE_VERSION)]
    pub struct Pallet<T>(_);

    /// State of every DID that was ever created.
    #[pallet::storage]
    pub type Dids<T> = StorageMap<_, Blake2_128Concat, DidId, DidState>;

    /// Keys in use, by DID and number.
    #[pallet::storage]
    pub type Keys<T> = StorageDoubleMap<_, Blake2_128Concat, DidId, Twox64Concat, u32, KeyEntry>;

    /// Numbers of a DID's keys that were revoked as compromised. A number that was given and is neither here nor in use
    /// belongs to a retired key.
    #[pallet::storage]
    pub type RevokedKeys<T> =
        StorageMap<_, Blake2_128Concat, DidId, BoundedBTreeSet<u32, ConstU32<{ limits::MAX_KEY_NUMBERS }>>, ValueQuery>;

    /// Controllers of a DID besides itself.
    #[pallet::storage]
    pub type Controllers<T> = StorageDoubleMap<_, Blake2_128Concat, DidId, Blake2_128Concat, Did, ()>;

    /// Services of a DID by their id.
    #[pallet::storage]
    pub type Services<T> = StorageDoubleMap<_, Blake2_128Concat, DidId, Blake2_128Concat, ServiceField, Service>;

    /// Nonce of the last action of a DID, of either method. The next action carries this nonce plus one.
    #[pallet::storage]
    pub type Nonces<T> = StorageMap<_, Blake2_128Concat, Did, u32, ValueQuery>;

    #[pallet::origin]
    pub type Origin = DidOrigin;

    #[pallet::event]
    #[pallet::generate_deposit(pub(crate) fn deposit_event)]
    pub enum Event<T: Config> {
        /// A DID was created. The events up to the end of the call say what it holds; their actor is the new DID.
        #[codec(index = 0)]
        Created {
            /// The new DID.
            did: DidId,
            /// The account that paid.
            submitter: T::AccountId,
        },
        /// A DID acts. The events of its calls follow.
        #[codec(index = 1)]
        Dispatched {
            /// The DID that acts.
            did: Did,
            /// The number of the key that signed.
            key_id: u32,
            /// The actor's nonce from now on.
            nonce: u32,
            /// The account that paid.
            submitter: T::AccountId,
            /// blake2-256 of the encoded list of calls.
            call_hash: [u8; 32],
        },
        /// A key was added to a DID.
        #[codec(index = 2)]
        KeyAdded {
            /// The DID.
            did: DidId,
            /// The key's number, one more than that of the key before it.
            key_id: u32,
            /// The key.
            key: PublicKey,
            /// The key's verification relationships, as explicit flags.
            relationships: Relationships,
        },
        /// A key was replaced. Its earlier signatures stay valid.
        #[codec(index = 3)]
        KeyRetired {
            /// The DID.
            did: DidId,
            /// The key's number.
            key_id: u32,
        },
        /// A key was declared compromised. None of its signatures is trusted, whenever it was made.
        #[codec(index = 4)]
        KeyRevoked {
            /// The DID.
            did: DidId,
            /// The key's number.
            key_id: u32,
        },
        /// A controller was added to a DID.
        #[codec(index = 5)]
        ControllerAdded {
            /// The DID.
            did: DidId,
            /// The DID that may change it from now on.
            controller: Did,
        },
        /// A controller was removed from a DID.
        #[codec(index = 6)]
        ControllerRemoved {
            /// The DID.
            did: DidId,
            /// The DID that may no longer change it.
            controller: Did,
        },
        /// A service was added or replaced.
        #[codec(index = 7)]
        ServiceSet {
            /// The DID.
            did: DidId,
            /// The service's id.
            id: ServiceField,
            /// The service that was replaced.
            old: Option<Service>,
            /// The service from now on.
            new: Service,
        },
        /// A service was removed.
        #[codec(index = 8)]
        ServiceRemoved {
            /// The DID.
            did: DidId,
            /// The service's id.
            id: ServiceField,
            /// The service that was removed.
            old: Service,
        },
        /// A DID was deactivated permanently. Its keys are retired; its controllers, services and nonce are gone.
        #[codec(index = 9)]
        Deactivated {
            /// The DID.
            did: DidId,
        },
    }

    #[pallet::error]
    pub enum Error<T> {
        /// One of the calls is not among those that a DID may make.
        #[codec(index = 0)]
        CallNotAllowed,
        /// There is nothing to do.
        #[codec(index = 1)]
        EmptyUpdate,
        /// More than 64 calls in one dispatch.
        #[codec(index = 2)]
        TooManyCalls,
        /// There is no such DID.
        #[codec(index = 3)]
        NotFound,
        /// The DID was deactivated.
        #[codec(index = 4)]
        Deactivated,
        /// The DID has no such key, or has it no longer.
        #[codec(index = 5)]
        KeyNotFound,
        /// The key is not Ed25519, or is for neither authentication nor capabilityInvocation.
        #[codec(index = 6)]
        KeyNotAuthorized,
        /// The authorisation has expired.
        #[codec(index = 7)]
        Expired,
        /// The authorisation would be valid for more than an hour.
        #[codec(index = 8)]
        ValidTooLong,
        /// The nonce is not the actor's last nonce plus one.
        #[codec(index = 9)]
        BadNonce,
        /// The signature was not made by the named key over these bytes.
        #[codec(index = 10)]
        BadSignature,
        /// The DID exists or existed, or it has this service or controller already.
        #[codec(index = 11)]
        AlreadyExists,
        /// The first key of a new DID must be Ed25519 with capabilityInvocation.
        #[codec(index = 12)]
        FirstKeyCannotControl,
        /// A key of this kind cannot be used for what is asked.
        #[codec(index = 13)]
        BadRelationships,
        /// An Ed25519 key comes without a valid signature of its own that proves possession.
        #[codec(index = 14)]
        BadPossession,
        /// A controller must be another DID: an active one with a key that controls, or an Ed25519 `did:key` that is
        /// not weak.
        #[codec(index = 15)]
        BadController,
        /// A service's id must be the fragment of a URI without its `#`, its type a name or a URI, and its endpoints 1
        /// to 8 URIs; each of these texts must have 1 to 256 bytes.
        #[codec(index = 16)]
        BadService,
        /// More than 32 keys in use, or more than 1,024 in the life of the DID.
        #[codec(index = 17)]
        TooManyKeys,
        /// More than 8 controllers.
        #[codec(index = 18)]
        TooManyControllers,
        /// More than 16 services.
        #[codec(index = 19)]
        TooManyServices,
        /// The actor does not control the DID.
        #[codec(index = 20)]
        NotAuthorized,
        /// After the call nobody could change the DID any more.
        #[codec(index = 21)]
        LastControl,
        /// The DID still convenes a trust registry.
        #[codec(index = 22)]
        StillConvener,
        /// The DID has no such controller.
        #[codec(index = 23)]
        ControllerNotFound,
        /// The DID has no such service.
        #[codec(index = 24)]
        ServiceNotFound,
        /// The key is revoked already.
        #[codec(index = 25)]
        AlreadyRevoked,
        /// The key is zero, the identity or of small order, so a proof by it proves nothing.
        #[codec(index = 26)]
        WeakKey,
    }

    /// Templates of what keys sign. To use one, fill in the fields that are zero or empty and encode it by its type.
    #[pallet::extra_constants]
    impl<T: Config> Pallet<T> {
        /// The payload whose blake2-256 hash is a DID's id.
        fn id_payload() -> payload::IdPayload {
            payload::IdPayload { tag: payload::ID_TAG, key: PublicKey::Ed25519([0; 32]), salt: [0; 32] }
        }
        /// The payload that the first key of a new DID signs.
        fn creation_payload() -> payload::CreationPayload<T::Hash, T::AccountId> {
            payload::CreationPayload {
                tag: payload::CREATION_TAG,
                genesis_hash: Default::default(),
                salt: [0; 32],
                keys: Vec::new(),
                controllers: BTreeSet::new(),
                services: Vec::new(),
                submitter: Self::no_account(),
            }
        }
        /// The payload that a key of the acting DID signs.
        fn action_payload() -> payload::ActionPayload<T::Hash, T::AccountId, <T as Config>::RuntimeCall> {
            payload::ActionPayload {
                tag: payload::ACTION_TAG,
                genesis_hash: Default::default(),
                transaction_version: Self::transaction_version(),
                did: Did::Svc(DidId([0; 32])),
                key_id: 0,
                nonce: 0,
                valid_until: 0,
                submitter: Self::no_account(),
                calls: Vec::new(),
            }
        }
        /// The payload that an Ed25519 key signs so that a DID can add it.
        fn possession_payload() -> payload::PossessionPayload<T::Hash> {
            payload::PossessionPayload {
                tag: payload::POSSESSION_TAG,
                genesis_hash: Default::default(),
                did: DidId([0; 32]),
                key: PublicKey::Ed25519([0; 32]),
            }
        }
    }

    #[pallet::call]
    impl<T: Config> Pallet<T> {
        /// Creates a DID. Its id follows from its first key and the salt. The first key signs the creation.
        #[pallet::call_index(0)]
        #[pallet::weight({
            let bytes = keys.encoded_size().saturating_add(controllers.encoded_size()).saturating_add(services.encoded_size());
            T::WeightInfo::create(keys.len() as u32, controllers.len() as u32, services.len() as u32, bytes as u32)
        })]
        pub fn create(
            origin: OriginFor<T>,
            salt: [u8; 32],
            keys: Vec<KeyEntry>,
            controllers: BTreeSet<Did>,
            services: Vec<ServiceEntry>,
            signature: [u8; 64],
        ) -> DispatchResult {
            let submitter = ensure_signed(origin)?;
            Self::do_create(submitter, salt, keys, controllers, services, signature)
        }

        /// Makes calls as a DID, in order. Either all of them take effect or none.
        #[pallet::call_index(1)]
        #[pallet::weight({
            let inner = calls.iter().fold(Weight::zero(), |sum, call| sum.saturating_add(call.get_dispatch_info().call_weight));
            T::WeightInfo::dispatch_as(calls.encoded_size() as u32).saturating_add(inner)
        })]
        pub fn dispatch_as(
            origin: OriginFor<T>,
            authorization: Box<Authorization>,
            calls: Vec<<T as Config>::RuntimeCall>,
        ) -> DispatchResultWithPostInfo {
            let submitter = ensure_signed(origin)?;
            Self::do_dispatch_as(submitter, *authorization, calls)
        }

        /// Adds keys to a DID. An Ed25519 key needs a proof of its possession.
        #[pallet::call_index(2)]
        #[pallet::weight(T::WeightInfo::add_keys(keys.len() as u32))]
        pub fn add_keys(origin: OriginFor<T>, did: DidId, keys: Vec<DidKeyInput>) -> DispatchResult {
            let actor = T::ControllerOrigin::ensure_origin(origin)?;
            Self::change(&actor, did, |record| Self::do_add_keys(did, record, keys))
        }

        /// Replaces a key of a DID. Earlier signatures by the old key stay valid.
        #[pallet::call_index(3)]
        #[pallet::weight(T::WeightInfo::rotate_key())]
        pub fn rotate_key(origin: OriginFor<T>, did: DidId, old: u32, new: DidKeyInput) -> DispatchResult {
            let actor = T::ControllerOrigin::ensure_origin(origin)?;
            Self::change(&actor, did, |record| Self::do_rotate_key(did, record, old, new))
        }

        /// Declares keys compromised, in use or retired. None of their signatures is trusted, whenever it was made.
        #[pallet::call_index(4)]
        #[pallet::weight(T::WeightInfo::revoke_keys(keys.len() as u32))]
        pub fn revoke_keys(origin: OriginFor<T>, did: DidId, keys: BTreeSet<u32>) -> DispatchResult {
            let actor = T::ControllerOrigin::ensure_origin(origin)?;
            Self::change(&actor, did, |record| Self::do_revoke_keys(did, record, keys))
        }

        /// Adds controllers: other DIDs that may change this one.
        #[pallet::call_index(5)]
        #[pallet::weight(T::WeightInfo::add_controllers(controllers.len() as u32))]
        pub fn add_controllers(origin: OriginFor<T>, did: DidId, controllers: BTreeSet<Did>) -> DispatchResult {
            let actor = T::ControllerOrigin::ensure_origin(origin)?;
            Self::change(&actor, did, |record| Self::do_add_controllers(did, record, controllers))
        }

        /// Removes controllers, which may then no longer change this DID.
        #[pallet::call_index(6)]
        #[pallet::weight(T::WeightInfo::remove_controllers(controllers.len() as u32))]
        pub fn remove_controllers(origin: OriginFor<T>, did: DidId, controllers: BTreeSet<Did>) -> DispatchResult {
            let actor = T::ControllerOrigin::ensure_origin(origin)?;
            Self::change(&actor, did, |record| Self::do_remove_controllers(did, record, controllers))
        }

        /// Adds or replaces a service of a DID.
        #[pallet::call_index(7)]
        #[pallet::weight(T::WeightInfo::set_service(service.encoded_size() as u32))]
        pub fn set_service(origin: OriginFor<T>, did: DidId, service: ServiceEntry) -> DispatchResult {
            let actor = T::ControllerOrigin::ensure_origin(origin)?;
            Self::change(&actor, did, |record| Self::do_set_service(did, record, service))
        }

        /// Removes a service of a DID.
        #[pallet::call_index(8)]
        #[pallet::weight(T::WeightInfo::remove_service())]
        pub fn remove_service(origin: OriginFor<T>, did: DidId, id: Vec<u8>) -> DispatchResult {
            let actor = T::ControllerOrigin::ensure_origin(origin)?;
            Self::change(&actor, did, |record| Self::do_remove_service(did, record, id))
        }

        /// Deactivates a DID permanently.
        #[pallet::call_index(9)]
        #[pallet::weight(T::WeightInfo::deactivate())]
        pub fn deactivate(origin: OriginFor<T>, did: DidId) -> DispatchResult {
            let actor = T::ControllerOrigin::ensure_origin(origin)?;
            Self::do_deactivate(&actor, did)
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
