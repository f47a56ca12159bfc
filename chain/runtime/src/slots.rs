//! Number of blocks in a slot of Aura. A network builds one; the embedded ledger follows the wall clock and builds as
//! many as there is work for.

pub use pallet::*;

#[frame_support::pallet]
pub mod pallet {
    use core::marker::PhantomData;
    use frame_support::{pallet_prelude::*, traits::Get};

    #[pallet::config]
    pub trait Config: frame_system::Config {}

    #[pallet::pallet]
    pub struct Pallet<T>(_);

    /// Whether a slot may hold more than one block. Fixed at genesis.
    #[pallet::storage]
    pub type MultipleBlocks<T> = StorageValue<_, bool, ValueQuery>;

    #[pallet::genesis_config]
    #[derive(frame_support::DefaultNoBound)]
    pub struct GenesisConfig<T: Config> {
        /// Whether a slot may hold more than one block.
        pub multiple_blocks: bool,
        #[serde(skip)]
        pub _config: PhantomData<T>,
    }

    #[pallet::genesis_build]
    impl<T: Config> BuildGenesisConfig for GenesisConfig<T> {
        fn build(&self) {
            MultipleBlocks::<T>::put(self.multiple_blocks);
        }
    }

    /// The setting in the form that the consensus pallet needs.
    pub struct AllowMultipleBlocks<T>(PhantomData<T>);

    impl<T: Config> Get<bool> for AllowMultipleBlocks<T> {
        fn get() -> bool {
            MultipleBlocks::<T>::get()
        }
    }
}
