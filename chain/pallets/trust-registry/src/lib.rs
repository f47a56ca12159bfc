//! # Trust registries
//!
//! Records which DIDs may issue and verify credentials of which schema, as the convener of a trust registry decides.
//!
//! Terms:
//! - **Registry**: an ecosystem of schemas under one governance framework.
//! - **Schema**: identified by the blake2-256 hash of its URI.
//! - **Issuer**, **verifier**: a DID that the registry lists for a schema; an issuer may ask for prices.
//! - **Public schema**: a schema that anyone may verify, because the convener decided so.
//! - **Delegate**: a DID that issues in the name of an issuer, in all its schemas of the registry.
//! - **Standing**: the state of a DID over all schemas of a registry: its suspension and its delegates.
//!
//! Assumption: only DIDs act, through the DID pallet; the root origin may hand a registry to a new convener.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod actions;
mod apply;
#[cfg(any(test, feature = "runtime-benchmarks"))]
mod benchmarks;
mod change;
mod flatten;
mod invariants;
pub mod limits;
mod participants;
mod price;
mod queries;
mod registry;
mod size;
#[cfg(test)]
mod tests;
mod update;
mod weights;

pub use actions::Conveners;
pub use change::Change;
pub use pallet::*;
pub use price::{Currency, Prices, PricesInput};
pub use queries::{
    Authorization, EndedDelegation, Filter, FilterBy, IssuerInfo, Page, Participation, Preview, QueryError,
    RegistryInfo, Role, SchemaMetadata, VerifierInfo,
};
pub use registry::{Delegates, Entry, GovFramework, Name, Registry, RegistryState, Schema, Standing};
pub use update::{
    DelegateOp, DelegatedUpdate, IssuerOp, IssuersUpdate, Metadata, MetadataUpdate, PriceOp, SchemaOp, SchemasUpdate,
    VerifierOp, VerifiersUpdate,
};
pub use weights::{Measured, WeightInfo};

#[frame_support::pallet]
pub mod pallet {
    use alloc::{collections::BTreeSet, vec::Vec};
    use frame_support::{dispatch::DispatchResultWithPostInfo, pallet_prelude::*, traits::Contains};
    use frame_system::pallet_prelude::*;
    use pallet_did::Did;
    use sp_core::H256;

    use crate::{
        Authorization, DelegatedUpdate, Entry, Filter, GovFramework, Name, Page, Preview, Prices, QueryError,
        RegistryInfo, RegistryState, Role, Schema, SchemaMetadata, SchemasUpdate, Standing, WeightInfo,
    };

    #[pallet::config]
    pub trait Config: frame_system::Config<RuntimeEvent: From<Event<Self>>> {
        /// Accepts a DID that acts.
        type ActorOrigin: EnsureOrigin<Self::RuntimeOrigin, Success = Did>;
        /// DIDs that can act at this moment.
        type ActiveDids: Contains<Did>;
        /// DIDs that can never act again.
        type DeactivatedDids: Contains<Did>;
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

    /// Number of registries that a DID convenes. A DID without an entry convenes none.
    #[pallet::storage]
    pub type Convened<T> = StorageMap<_, Blake2_128Concat, Did, u32, ValueQuery>;

    /// The DID to which the convener of a registry offers it.
    #[pallet::storage]
    pub type Proposals<T> = StorageMap<_, Blake2_128Concat, H256, Did>;

    /// The schemas of a registry.
    #[pallet::storage]
    pub type Schemas<T> = StorageDoubleMap<_, Blake2_128Concat, H256, Blake2_128Concat, H256, Schema>;

    /// The registries of a schema, and whether the schema is public there.
    #[pallet::storage]
    pub type RegistriesBySchema<T> = StorageDoubleMap<_, Blake2_128Concat, H256, Blake2_128Concat, H256, bool>;

    /// Roles of a DID, by registry, schema and DID.
    #[pallet::storage]
    pub type Entries<T> = StorageNMap<
        _,
        (NMapKey<Blake2_128Concat, H256>, NMapKey<Blake2_128Concat, H256>, NMapKey<Blake2_128Concat, Did>),
        Entry,
    >;

    /// The keys of `Entries`, by DID, registry and schema.
    #[pallet::storage]
    pub type EntriesByDid<T> = StorageNMap<
        _,
        (NMapKey<Blake2_128Concat, Did>, NMapKey<Blake2_128Concat, H256>, NMapKey<Blake2_128Concat, H256>),
        (),
    >;

    /// State of a DID over all schemas of a registry. A suspension outlives everything else, even the registry.
    #[pallet::storage]
    pub type Standings<T> = StorageDoubleMap<_, Blake2_128Concat, H256, Blake2_128Concat, Did, Standing, ValueQuery>;

    /// Delegations, by delegate, registry and issuer.
    #[pallet::storage]
    pub type Delegations<T> = StorageNMap<
        _,
        (NMapKey<Blake2_128Concat, Did>, NMapKey<Blake2_128Concat, H256>, NMapKey<Blake2_128Concat, Did>),
        (),
    >;

    #[pallet::event]
    #[pallet::generate_deposit(pub(crate) fn deposit_event)]
    pub enum Event<T: Config> {
        /// A registry was created. Its version is 0.
        #[codec(index = 0)]
        TrustRegistryInitialized {
            /// The registry.
            registry_id: H256,
            /// Its convener.
            convener: Did,
            /// Its name.
            name: Name,
            /// Its governance reference.
            gov_framework: GovFramework,
        },
        /// The name or the governance reference of a registry changed.
        #[codec(index = 1)]
        TrustRegistryUpdated {
            /// The registry.
            registry_id: H256,
            /// The name until now.
            old_name: Name,
            /// The name from now on.
            new_name: Name,
            /// The governance reference until now.
            old_gov_framework: GovFramework,
            /// The governance reference from now on.
            new_gov_framework: GovFramework,
        },
        /// A schema was added, without participants and not public.
        #[codec(index = 2)]
        SchemaAdded {
            /// The registry.
            registry_id: H256,
            /// The schema.
            schema_id: H256,
        },
        /// A schema was removed, after its participants.
        #[codec(index = 3)]
        SchemaRemoved {
            /// The registry.
            registry_id: H256,
            /// The schema.
            schema_id: H256,
        },
        /// A schema became public, or is no longer public.
        #[codec(index = 4)]
        SchemaPublicSet {
            /// The registry.
            registry_id: H256,
            /// The schema.
            schema_id: H256,
            /// Whether anyone may verify the schema from now on.
            public: bool,
        },
        /// An issuer was added, was removed or got other prices.
        #[codec(index = 5)]
        IssuerChanged {
            /// The registry.
            registry_id: H256,
            /// The schema.
            schema_id: H256,
            /// The issuer.
            issuer: Did,
            /// Prices until now; none if it was not listed.
            old: Option<Prices>,
            /// Prices from now on; none if it is no longer listed.
            new: Option<Prices>,
        },
        /// A verifier was added or removed.
        #[codec(index = 6)]
        VerifierChanged {
            /// The registry.
            registry_id: H256,
            /// The schema.
            schema_id: H256,
            /// The verifier.
            verifier: Did,
            /// Whether it was listed until now.
            old: bool,
            /// Whether it is listed from now on.
            new: bool,
        },
        /// The changes of schemas between the last event of this kind and this one are one version.
        #[codec(index = 7)]
        SchemasMetadataSet {
            /// The registry.
            registry_id: H256,
            /// The registry's version from now on.
            version: u32,
        },
        /// A DID was suspended as an issuer or delegate. The suspension holds in all its roles.
        #[codec(index = 8)]
        IssuerSuspended {
            /// The registry.
            registry_id: H256,
            /// The DID that was suspended.
            issuer: Did,
        },
        /// A suspension ended.
        #[codec(index = 9)]
        IssuerUnsuspended {
            /// The registry.
            registry_id: H256,
            /// The DID that is no longer suspended.
            issuer: Did,
        },
        /// A DID was suspended as a verifier. The suspension holds in all its roles.
        #[codec(index = 10)]
        VerifierSuspended {
            /// The registry.
            registry_id: H256,
            /// The DID that was suspended.
            verifier: Did,
        },
        /// A suspension ended.
        #[codec(index = 11)]
        VerifierUnsuspended {
            /// The registry.
            registry_id: H256,
            /// The DID that is no longer suspended.
            verifier: Did,
        },
        /// An issuer named a delegate.
        #[codec(index = 12)]
        DelegateAdded {
            /// The registry.
            registry_id: H256,
            /// The issuer that delegates.
            issuer: Did,
            /// The DID that may issue in its name.
            delegate: Did,
        },
        /// A delegation ended: the issuer withdrew it, or it no longer issues any schema.
        #[codec(index = 13)]
        DelegateRemoved {
            /// The registry.
            registry_id: H256,
            /// The issuer that delegated.
            issuer: Did,
            /// The DID that may no longer issue in its name.
            delegate: Did,
        },
        /// A convener offers its registry to another DID.
        #[codec(index = 14)]
        TransferProposed {
            /// The registry.
            registry_id: H256,
            /// The DID to which it was offered until now.
            old: Option<Did>,
            /// The DID to which it is offered.
            new: Did,
        },
        /// A registry has a new convener. Any offer of it ended.
        #[codec(index = 15)]
        Transferred {
            /// The registry.
            registry_id: H256,
            /// The convener until now.
            old: Did,
            /// The convener from now on.
            new: Did,
        },
        /// A registry was removed permanently, after its schemas. Any offer of it ended.
        #[codec(index = 16)]
        TrustRegistryRemoved {
            /// The registry.
            registry_id: H256,
        },
    }

    #[pallet::error]
    pub enum Error<T> {
        /// There is no such registry, or no such schema, issuer, verifier, price, delegate or offer in it.
        #[codec(index = 0)]
        NotFound,
        /// The actor may not make this change.
        #[codec(index = 1)]
        NotAuthorized,
        /// The schema, issuer, verifier, price or delegate to be added is there already, or the DID convenes the
        /// registry already.
        #[codec(index = 2)]
        AlreadyExists,
        /// The registry was removed.
        #[codec(index = 3)]
        Removed,
        /// There is nothing to do.
        #[codec(index = 4)]
        EmptyUpdate,
        /// The name has more than 256 bytes.
        #[codec(index = 5)]
        NameTooLong,
        /// The governance reference has more than 1,024 bytes.
        #[codec(index = 6)]
        GovFrameworkTooLong,
        /// More than 1,000 changes, counting everything stored under what is replaced or removed.
        #[codec(index = 7)]
        TooManyChanges,
        /// More than 5,000 prices in one call.
        #[codec(index = 8)]
        TooManyPrices,
        /// More than 25 currencies of one issuer.
        #[codec(index = 9)]
        TooManyCurrencies,
        /// A currency's symbol is not 1 to 10 characters of A to Z and 0 to 9.
        #[codec(index = 10)]
        BadCurrency,
        /// An update that replaces a whole collection needs the registry's version.
        #[codec(index = 11)]
        VersionRequired,
        /// The registry's version is not the expected one.
        #[codec(index = 12)]
        VersionMismatch,
        /// A public schema cannot carry a price.
        #[codec(index = 13)]
        PublicSchemaPriced,
        /// More than 250 DIDs in one suspension call.
        #[codec(index = 14)]
        TooManySuspensions,
        /// One of the DIDs is suspended.
        #[codec(index = 15)]
        AlreadySuspended,
        /// One of the DIDs is not suspended.
        #[codec(index = 16)]
        NotSuspended,
        /// A suspended issuer cannot change its delegates.
        #[codec(index = 17)]
        Suspended,
        /// An issuer cannot delegate to itself.
        #[codec(index = 18)]
        SelfDelegation,
        /// More than 16 delegates of one issuer.
        #[codec(index = 19)]
        TooManyDelegates,
        /// The registry still has schemas.
        #[codec(index = 20)]
        SchemasLeft,
        /// The DID cannot act.
        #[codec(index = 21)]
        Inactive,
    }

    #[pallet::call]
    impl<T: Config> Pallet<T> {
        /// Creates a registry, or changes its name and governance reference.
        ///
        /// The actor that creates a registry becomes its convener. Only the convener may change these two later.
        #[pallet::call_index(0)]
        #[pallet::weight(T::WeightInfo::init_or_update_trust_registry())]
        pub fn init_or_update_trust_registry(
            origin: OriginFor<T>,
            registry_id: H256,
            name: Vec<u8>,
            gov_framework: Vec<u8>,
        ) -> DispatchResult {
            let actor = T::ActorOrigin::ensure_origin(origin)?;
            Self::do_init_or_update(actor, registry_id, name, gov_framework)
        }

        /// Changes schemas and their issuers and verifiers. If one change is refused, so is the whole update.
        /// `expected_version` is required if a whole collection is replaced, and checked whenever it is given.
        #[pallet::call_index(1)]
        #[pallet::weight({
            let size = update.size();
            T::WeightInfo::set_schemas_metadata(size.most_changes(), size.prices)
        })]
        pub fn set_schemas_metadata(
            origin: OriginFor<T>,
            registry_id: H256,
            update: SchemasUpdate,
            expected_version: Option<u32>,
        ) -> DispatchResultWithPostInfo {
            let actor = T::ActorOrigin::ensure_origin(origin)?;
            Self::do_set_schemas_metadata(actor, registry_id, update, expected_version)
        }

        /// Suspends issuers and delegates, in all their roles. Convener only.
        #[pallet::call_index(2)]
        #[pallet::weight(T::WeightInfo::suspend_issuers(issuers.len() as u32))]
        pub fn suspend_issuers(origin: OriginFor<T>, registry_id: H256, issuers: BTreeSet<Did>) -> DispatchResult {
            let actor = T::ActorOrigin::ensure_origin(origin)?;
            Self::do_suspend_issuers(actor, registry_id, issuers)
        }

        /// Ends suspensions. Convener only.
        #[pallet::call_index(3)]
        #[pallet::weight(T::WeightInfo::unsuspend_issuers(issuers.len() as u32))]
        pub fn unsuspend_issuers(origin: OriginFor<T>, registry_id: H256, issuers: BTreeSet<Did>) -> DispatchResult {
            let actor = T::ActorOrigin::ensure_origin(origin)?;
            Self::do_unsuspend_issuers(actor, registry_id, issuers)
        }

        /// Changes the actor's delegates. Issuers only.
        #[pallet::call_index(4)]
        #[pallet::weight(T::WeightInfo::update_delegated_issuers())]
        pub fn update_delegated_issuers(
            origin: OriginFor<T>,
            registry_id: H256,
            delegated: DelegatedUpdate,
        ) -> DispatchResult {
            let actor = T::ActorOrigin::ensure_origin(origin)?;
            Self::do_update_delegated_issuers(actor, registry_id, delegated)
        }

        /// Suspends verifiers, in all their roles. Convener only.
        #[pallet::call_index(5)]
        #[pallet::weight(T::WeightInfo::suspend_verifiers(verifiers.len() as u32))]
        pub fn suspend_verifiers(origin: OriginFor<T>, registry_id: H256, verifiers: BTreeSet<Did>) -> DispatchResult {
            let actor = T::ActorOrigin::ensure_origin(origin)?;
            Self::do_suspend_verifiers(actor, registry_id, verifiers)
        }

        /// Ends suspensions. Convener only.
        #[pallet::call_index(6)]
        #[pallet::weight(T::WeightInfo::unsuspend_verifiers(verifiers.len() as u32))]
        pub fn unsuspend_verifiers(
            origin: OriginFor<T>,
            registry_id: H256,
            verifiers: BTreeSet<Did>,
        ) -> DispatchResult {
            let actor = T::ActorOrigin::ensure_origin(origin)?;
            Self::do_unsuspend_verifiers(actor, registry_id, verifiers)
        }

        /// Removes a registry permanently. It must have no schemas. Convener only.
        #[pallet::call_index(7)]
        #[pallet::weight(T::WeightInfo::remove_trust_registry())]
        pub fn remove_trust_registry(origin: OriginFor<T>, registry_id: H256) -> DispatchResult {
            let actor = T::ActorOrigin::ensure_origin(origin)?;
            Self::do_remove_trust_registry(actor, registry_id)
        }

        /// Offers a registry to another DID. Convener only; root hands it over at once.
        #[pallet::call_index(8)]
        #[pallet::weight(T::WeightInfo::transfer_trust_registry())]
        pub fn transfer_trust_registry(origin: OriginFor<T>, registry_id: H256, new_convener: Did) -> DispatchResult {
            match ensure_root(origin.clone()) {
                Ok(()) => Self::do_hand_over(registry_id, new_convener),
                Err(_) => Self::do_propose_transfer(T::ActorOrigin::ensure_origin(origin)?, registry_id, new_convener),
            }
        }

        /// Takes over a registry that was offered to the actor.
        #[pallet::call_index(9)]
        #[pallet::weight(T::WeightInfo::accept_trust_registry())]
        pub fn accept_trust_registry(origin: OriginFor<T>, registry_id: H256) -> DispatchResult {
            let actor = T::ActorOrigin::ensure_origin(origin)?;
            Self::do_accept_trust_registry(actor, registry_id)
        }
    }

    /// Queries that anyone may make. Ids are sorted; a page begins after the id in `cursor`.
    #[pallet::view_functions]
    impl<T: Config> Pallet<T> {
        /// Ids of the registries that list a verifier, at most 1,000 in a page.
        pub fn verifiers_trust_registries(verifier: Did, cursor: Option<H256>) -> Result<Page<H256>, QueryError> {
            Self::find_registries(&Filter::verifier(verifier), cursor)
        }

        /// Ids of the registries where a DID issues, as a listed issuer or as a delegate, at most 1,000 in a page.
        pub fn issuers_trust_registries(issuer: Did, cursor: Option<H256>) -> Result<Page<H256>, QueryError> {
            Self::find_registries(&Filter::issuer(issuer), cursor)
        }

        /// Ids of the registries that match a filter, at most 1,000 in a page. Different schemas may meet the filter's
        /// fields.
        pub fn registries_ids(filter: Filter, cursor: Option<H256>) -> Result<Page<H256>, QueryError> {
            Self::find_registries(&filter, cursor)
        }

        /// Ids of the schemas of a registry that list a verifier, at most 1,000 in a page.
        pub fn trust_registry_verifier_schemas(
            registry_id: H256,
            verifier: Did,
            cursor: Option<H256>,
        ) -> Result<Page<H256>, QueryError> {
            Self::find_schemas(&Filter::verifier(verifier), registry_id, cursor)
        }

        /// Ids of the schemas of a registry that a DID issues, as a listed issuer or as a delegate, at most 1,000 in a
        /// page.
        pub fn trust_registry_issuer_schemas(
            registry_id: H256,
            issuer: Did,
            cursor: Option<H256>,
        ) -> Result<Page<H256>, QueryError> {
            Self::find_schemas(&Filter::issuer(issuer), registry_id, cursor)
        }

        /// Ids of the schemas of a registry that match a filter, at most 1,000 in a page. One schema meets all the
        /// filter's fields.
        pub fn registry_schema_ids(
            filter: Filter,
            registry_id: H256,
            cursor: Option<H256>,
        ) -> Result<Page<H256>, QueryError> {
            Self::find_schemas(&filter, registry_id, cursor)
        }

        /// The registries that match a filter, with the roles of the filter's DIDs there, at most 100 in a page.
        pub fn registries_info(filter: Filter, cursor: Option<H256>) -> Result<Page<RegistryInfo>, QueryError> {
            Self::find_registries_info(&filter, cursor)
        }

        /// The schemas of a registry that match a filter, with all their listed participants and delegates, at most 20
        /// in a page.
        pub fn registry_schemas_metadata(
            filter: Filter,
            registry_id: H256,
            cursor: Option<H256>,
        ) -> Result<Page<SchemaMetadata>, QueryError> {
            Self::find_schemas_metadata(&filter, registry_id, cursor)
        }

        /// Whether a DID may issue or verify a schema in a registry, and why.
        pub fn authorized(
            registry_id: H256,
            schema_id: H256,
            did: Did,
            role: Role,
        ) -> Result<Authorization, QueryError> {
            Self::find_authorization(registry_id, schema_id, did, role)
        }

        /// The changes that `set_schemas_metadata` by an actor would make, or the error that would refuse it.
        pub fn preview_schemas_metadata(
            actor: Did,
            registry_id: H256,
            update: SchemasUpdate,
            expected_version: Option<u32>,
        ) -> Result<Preview, DispatchError> {
            Self::preview(actor, registry_id, update, expected_version)
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
