//! Benchmarks of what the calls cost at most.

use alloc::{boxed::Box, collections::BTreeSet, vec, vec::Vec};
use codec::Decode;
use frame_benchmarking::v2::*;
use frame_system::RawOrigin;
use sp_runtime::traits::TrailingZeroInput;

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
        Validators::<T>::put(Accounts::<T>::try_from(old).expect("within the limit"));

        #[extrinsic_call]
        _(RawOrigin::Root, wanted.clone());

        assert!(Validators::<T>::get().into_iter().eq(wanted));
    }

    /// The call inside is another one's to measure.
    #[benchmark]
    fn act() {
        let call: <T as Config>::RuntimeCall = frame_system::Call::remark { remark: vec![] }.into();

        #[extrinsic_call]
        _(RawOrigin::Root, Box::new(call));

        assert_eq!(frame_system::Pallet::<T>::event_count(), 1);
    }

    impl_benchmark_test_suite!(Pallet, crate::tests::for_benchmarks(), crate::tests::Test);
}
