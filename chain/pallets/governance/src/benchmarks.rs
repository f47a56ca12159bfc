//! Benchmarks of what the calls cost at most.

use alloc::{boxed::Box, collections::BTreeSet, vec, vec::Vec};
use codec::Decode;
use frame_benchmarking::v2::*;
use frame_system::{pallet_prelude::BlockNumberFor, RawOrigin};
use sp_runtime::traits::{AppendZerosInput, Get, Hash, TrailingZeroInput};

use crate::{limits::MAX_VALIDATORS, *};

/// Accounts with session keys.
fn with_keys<T: Config>(count: u32) -> BTreeSet<T::AccountId> {
    let decoded = |number: u32| {
        let account = account::<T::AccountId>("validator", number, 0);
        let keys = T::Keys::decode(&mut TrailingZeroInput::zeroes()).expect("keys of zeros");
        pallet_session::NextKeys::<T>::insert(&account, keys);
        account
    };
    (0..count).map(decoded).collect()
}

#[benchmarks]
mod calls {
    use super::*;

    /// `n`: validators.
    #[benchmark]
    fn set_validators(n: Linear<1, MAX_VALIDATORS>) {
        let wanted = with_keys::<T>(n);
        let old: Vec<_> = (0..MAX_VALIDATORS).map(|number| account("former", number, 0)).collect();
        for account in &old {
            KeysChanged::<T>::insert(account, BlockNumberFor::<T>::default());
        }
        Validators::<T>::put(Accounts::<T>::try_from(old).expect("within the limit"));

        #[extrinsic_call]
        _(RawOrigin::Root, wanted.clone());

        assert!(Validators::<T>::get().into_iter().eq(wanted));
    }

    /// The call inside is another one's to measure. Root acts here, and the event stands for the council's.
    #[benchmark]
    fn act() -> Result<(), BenchmarkError> {
        let call: <T as Config>::RuntimeCall = frame_system::Call::remark { remark: vec![] }.into();

        #[block]
        {
            Pallet::<T>::deposit_event(Event::Acted { call_hash: T::Hashing::hash_of(&call) });
            Pallet::<T>::act(RawOrigin::Root.into(), Box::new(call)).map_err(|failure| failure.error)?;
        }

        assert_eq!(frame_system::Pallet::<T>::event_count(), 1);
        Ok(())
    }

    /// The session pallet measures what it does then.
    #[benchmark]
    fn note_keys() {
        let validators: Vec<_> = with_keys::<T>(MAX_VALIDATORS).into_iter().collect();
        let account = validators.last().expect("a validator").clone();
        Validators::<T>::put(Accounts::<T>::try_from(validators).expect("within the limit"));
        KeysChanged::<T>::insert(&account, BlockNumberFor::<T>::default());
        frame_system::Pallet::<T>::set_block_number(T::KeysBlocks::get());
        let keys = T::Keys::decode(&mut AppendZerosInput::new(&mut &[1u8][..])).expect("other keys");

        #[block]
        {
            Pallet::<T>::note_keys(&account, &keys).expect("the last change is old enough");
        }

        assert_eq!(KeysChanged::<T>::get(&account), Some(T::KeysBlocks::get()));
    }

    impl_benchmark_test_suite!(Pallet, crate::tests::for_benchmarks(), crate::tests::Test);
}
