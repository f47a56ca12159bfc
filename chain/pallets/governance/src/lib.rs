//! # Governance
//!
//! Holds the list of a network's validators, and lets its council act as root. Takes a validator off the list that
//! voted twice.
//!
//! Terms:
//! - **Council**: the accounts that decide by vote. Two thirds of them are needed for every call of this pallet.
//! - **Validator**: an account whose session keys build blocks and vote on which are final.
//! - **Session**: a time in which the keys of the validators stay. It ends at a multiple of `SessionBlocks`, and only
//!   where a key or the list has changed: the end of a session uses up a whole block, and begins a new authority set.
//! - **Treasury**: the account of the council, without a key.
//!
//! Assumption: a ledger whose list is empty takes its authorities from its genesis and never changes them. The embedded
//! ledger is one.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

#[cfg(any(test, feature = "runtime-benchmarks"))]
mod benchmarks;
mod invariants;
mod keys;
pub mod limits;
mod motions;
mod offences;
mod sessions;
#[cfg(test)]
mod tests;
mod weights;

pub use offences::OfListed;
pub use pallet::*;
pub use weights::{Derived, WeightInfo};

#[frame_support::pallet]
pub mod pallet {
    use alloc::{boxed::Box, collections::BTreeSet, vec::Vec};
    use frame_support::{
        dispatch::{GetDispatchInfo, PostDispatchInfo},
        pallet_prelude::*,
        traits::UnfilteredDispatchable,
        PalletId,
    };
    use frame_system::pallet_prelude::*;
    use pallet_session::weights::WeightInfo as _;
    use sp_runtime::traits::{AccountIdConversion, Hash};

    use crate::{
        limits::{MAX_MOTIONS, MAX_VALIDATORS},
        WeightInfo,
    };

    /// Configuration of this pallet.
    #[pallet::config]
    pub trait Config:
        frame_system::Config<RuntimeEvent: From<Event<Self>>>
        + pallet_session::Config<ValidatorId = <Self as frame_system::Config>::AccountId>
        + pallet_session::historical::Config<FullIdentification = ()>
    {
        /// The calls that the council may make.
        type RuntimeCall: Parameter
            + UnfilteredDispatchable<RuntimeOrigin = Self::RuntimeOrigin>
            + GetDispatchInfo
            + From<frame_system::Call<Self>>;
        /// Accepts the council, by two thirds of its members, and root.
        type CouncilOrigin: EnsureOrigin<Self::RuntimeOrigin>;
        /// Sessions end at multiples of this number of blocks.
        #[pallet::constant]
        type SessionBlocks: Get<BlockNumberFor<Self>>;
        /// The least number of blocks between two changes of the session keys of one validator.
        #[pallet::constant]
        type KeysBlocks: Get<BlockNumberFor<Self>>;
        /// The name from which the account of the council follows.
        #[pallet::constant]
        type TreasuryId: Get<PalletId>;
        /// Weights of the calls.
        type WeightInfo: WeightInfo;
    }

    type SessionWeights<T> = <T as pallet_session::Config>::WeightInfo;

    const STORAGE_VERSION: StorageVersion = StorageVersion::new(1);

    #[pallet::pallet]
    #[pallet::storage_version(STORAGE_VERSION)]
    pub struct Pallet<T>(_);

    /// Accounts of validators, ascending.
    pub type Accounts<T> = BoundedVec<<T as frame_system::Config>::AccountId, ConstU32<MAX_VALIDATORS>>;

    /// The validators that the council wants. A change takes effect after the next two sessions.
    #[pallet::storage]
    pub type Validators<T: Config> = StorageValue<_, Accounts<T>, ValueQuery>;

    /// The block in which a validator of the list last changed its session keys.
    #[pallet::storage]
    pub type KeysChanged<T: Config> = StorageMap<_, Twox64Concat, T::AccountId, BlockNumberFor<T>>;

    /// Motions, each with the member that made it.
    pub type OpenMotions<T> =
        BoundedVec<(<T as frame_system::Config>::Hash, <T as frame_system::Config>::AccountId), ConstU32<MAX_MOTIONS>>;

    /// Open motions of the council, each with the member that made it. Those that ended are taken out by the next one.
    #[pallet::storage]
    pub type Motions<T: Config> = StorageValue<_, OpenMotions<T>, ValueQuery>;

    #[pallet::genesis_config]
    #[derive(frame_support::DefaultNoBound)]
    pub struct GenesisConfig<T: Config> {
        /// The first validators. The genesis of the session pallet holds the keys of each.
        pub validators: Vec<T::AccountId>,
    }

    #[pallet::genesis_build]
    impl<T: Config> BuildGenesisConfig for GenesisConfig<T> {
        fn build(&self) {
            let validators: BTreeSet<_> = self.validators.iter().cloned().collect();
            assert_eq!(validators.len(), self.validators.len(), "a validator is named twice");
            let sorted: Vec<_> = validators.into_iter().collect();
            Validators::<T>::put(Accounts::<T>::try_from(sorted).expect("at most 32 validators"));
        }
    }

    #[pallet::event]
    #[pallet::generate_deposit(pub(crate) fn deposit_event)]
    pub enum Event<T: Config> {
        /// The council acts as root. The events of the call follow. Root itself needs no leave, and no event.
        #[codec(index = 0)]
        Acted {
            /// Hash of the call.
            call_hash: T::Hash,
        },
        /// The list of validators changed.
        #[codec(index = 1)]
        ValidatorsSet {
            /// The validators until now, ascending.
            old: Accounts<T>,
            /// The validators from now on, ascending.
            new: Accounts<T>,
        },
        /// A validator voted for two blocks in one round. It goes off the list, unless it is the last one.
        #[codec(index = 2)]
        Equivocated {
            /// The validator.
            validator: T::AccountId,
        },
    }

    #[pallet::error]
    pub enum Error<T> {
        /// A ledger without a validator would stand still.
        #[codec(index = 0)]
        NoValidators,
        /// More than 32 validators.
        #[codec(index = 1)]
        TooManyValidators,
        /// A validator has not set its session keys.
        #[codec(index = 2)]
        NoKeys,
        /// The list is the same already.
        #[codec(index = 3)]
        Unchanged,
        /// A validator changes its session keys once a day at most.
        #[codec(index = 4)]
        TooManyKeyChanges,
        /// A member of the council has four open motions at most.
        #[codec(index = 5)]
        TooManyMotions,
    }

    #[pallet::call]
    impl<T: Config> Pallet<T> {
        /// Replaces the list of validators. Each of them has set its session keys before.
        #[pallet::call_index(0)]
        #[pallet::weight((
            <T as Config>::WeightInfo::set_validators(validators.len() as u32),
            DispatchClass::Operational,
        ))]
        pub fn set_validators(origin: OriginFor<T>, validators: BTreeSet<T::AccountId>) -> DispatchResult {
            T::CouncilOrigin::ensure_origin(origin)?;
            ensure!(!validators.is_empty(), Error::<T>::NoValidators);
            let sorted: Vec<_> = validators.into_iter().collect();
            let new = Accounts::<T>::try_from(sorted).map_err(|_| Error::<T>::TooManyValidators)?;
            let have_keys = new.iter().all(pallet_session::NextKeys::<T>::contains_key);
            ensure!(have_keys, Error::<T>::NoKeys);
            let old = Validators::<T>::get();
            ensure!(old != new, Error::<T>::Unchanged);
            Self::replace_list(old, new);
            Ok(())
        }

        /// Makes a call as root. It fails where the call fails.
        #[pallet::call_index(1)]
        #[pallet::weight({
            let info = call.get_dispatch_info();
            (<T as Config>::WeightInfo::act().saturating_add(info.call_weight), info.class)
        })]
        pub fn act(origin: OriginFor<T>, call: Box<<T as Config>::RuntimeCall>) -> DispatchResultWithPostInfo {
            let is_root = ensure_root(origin.clone()).is_ok();
            T::CouncilOrigin::ensure_origin(origin)?;
            if !is_root {
                Self::deposit_event(Event::Acted { call_hash: T::Hashing::hash_of(&call) });
            }
            let own = <T as Config>::WeightInfo::act();
            let around = |inner: PostDispatchInfo| PostDispatchInfo {
                actual_weight: inner.actual_weight.map(|weight| weight.saturating_add(own)),
                pays_fee: inner.pays_fee,
            };
            let result = call.dispatch_bypass_filter(frame_system::RawOrigin::Root.into());
            result.map(around).map_err(|mut failure| {
                failure.post_info = around(failure.post_info);
                failure
            })
        }

        /// Sets the session keys of the sender, who proves to have their secrets. They take effect after the next two
        /// sessions. A validator of the list changes its keys once a day at most, and never takes them back.
        #[pallet::call_index(2)]
        #[pallet::weight(
            <T as Config>::WeightInfo::note_keys()
                .saturating_add(SessionWeights::<T>::set_keys())
        )]
        pub fn set_keys(origin: OriginFor<T>, keys: T::Keys, proof: Vec<u8>) -> DispatchResult {
            let account = ensure_signed(origin.clone())?;
            Self::note_keys(&account, &keys)?;
            pallet_session::Pallet::<T>::set_keys(origin, keys, proof)
        }
    }

    #[pallet::hooks]
    impl<T: Config> Hooks<BlockNumberFor<T>> for Pallet<T> {
        /// Pays for the look at the keys with which each possible end of a session begins.
        fn on_initialize(now: BlockNumberFor<T>) -> Weight {
            let reads = match Self::may_end_session(now) {
                true => (Validators::<T>::decode_len().unwrap_or(0) as u64).saturating_add(3),
                false => 0,
            };
            T::DbWeight::get().reads(reads)
        }

        #[cfg(feature = "try-runtime")]
        fn try_state(_: BlockNumberFor<T>) -> Result<(), sp_runtime::TryRuntimeError> {
            Self::check_invariants().map_err(Into::into)
        }
    }

    impl<T: Config> Pallet<T> {
        /// The account of the council.
        pub fn treasury() -> T::AccountId {
            T::TreasuryId::get().into_account_truncating()
        }

        pub(crate) fn replace_list(old: Accounts<T>, new: Accounts<T>) {
            for gone in old.iter().filter(|account| !new.contains(account)) {
                KeysChanged::<T>::remove(gone);
            }
            Validators::<T>::put(&new);
            Self::deposit_event(Event::ValidatorsSet { old, new });
        }
    }
}
