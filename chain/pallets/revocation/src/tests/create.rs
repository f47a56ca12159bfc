use frame_support::{assert_noop, assert_ok};

use super::*;
use crate::limits::*;

#[test]
fn a_created_registry_is_told_with_its_sorted_policy() {
    ledger(|| {
        assert_ok!(act(ISSUER, create(&[did(2), ISSUER], true, LIST)));
        let policy = Policy::try_from(std::collections::BTreeSet::from([ISSUER, did(2)])).expect("two DIDs");
        let kind = Kind::StatusList { length: MIN_LENGTH };
        assert_eq!(events(), [Event::RegistryCreated { registry_id: REGISTRY, policy, add_only: true, kind }]);
    });
}

#[test]
fn a_length_is_a_multiple_of_8_between_the_limits() {
    ledger(|| {
        for length in [0, 8, MIN_LENGTH - 8, MIN_LENGTH + 4, MAX_LENGTH + 8, u32::MAX] {
            let call = create(&[ISSUER], false, KindInput::StatusList { length });
            assert_noop!(act(ISSUER, call), Error::<Test>::BadKind);
        }
        assert_ok!(act(ISSUER, create(&[ISSUER], false, KindInput::StatusList { length: MAX_LENGTH })));
    });
}

#[test]
fn a_policy_names_its_creator_and_at_most_15_dids() {
    ledger(|| {
        let many: Vec<_> = (1..=MAX_POLICY as u8 + 1).map(did).collect();
        assert_noop!(act(ISSUER, create(&many, false, LIST)), Error::<Test>::TooManyPolicyDids);
        assert_noop!(act(ISSUER, create(&[did(2)], false, LIST)), Error::<Test>::NotAuthorized);
        assert_noop!(act(ISSUER, create(&[], false, LIST)), Error::<Test>::NotAuthorized);
        assert_ok!(act(ISSUER, create(&many[..MAX_POLICY as usize], false, LIST)));
    });
}

#[test]
fn an_id_is_used_once() {
    with_list(false, || {
        assert_noop!(act(did(3), create(&[did(3)], false, LIST)), Error::<Test>::AlreadyExists);
        assert_ok!(act(ISSUER, Call::remove { registry_id: REGISTRY }));
        assert_noop!(act(ISSUER, create(&[ISSUER], false, LIST)), Error::<Test>::Removed);
    });
}

#[test]
fn an_accumulator_is_created_with_a_key_and_a_value_that_are_neither_empty_nor_too_long() {
    let sized =
        |key: usize, value: usize| KindInput::Accumulator { public_key: vec![1; key], accumulated: vec![2; value] };
    let most = MAX_ACCUMULATOR_FIELD as usize;
    ledger(|| {
        for (key, value) in [(0, 48), (96, 0), (most + 1, 48), (96, most + 1)] {
            assert_noop!(act(ISSUER, create(&[ISSUER], false, sized(key, value))), Error::<Test>::BadKind);
        }
        assert_ok!(act(ISSUER, create(&[ISSUER], false, sized(most, most))));
        let field = |byte| vec![byte; most].try_into().expect("short enough");
        let kind = Kind::Accumulator { public_key: field(1), accumulated: field(2) };
        let policy = Policy::try_from(std::collections::BTreeSet::from([ISSUER])).expect("one DID");
        assert_eq!(events(), [Event::RegistryCreated { registry_id: REGISTRY, policy, add_only: false, kind }]);
    });
    ledger(|| assert_eq!(act(ISSUER, create(&[ISSUER], true, sized(1, 1))), Ok(())));
}

#[test]
fn an_account_creates_nothing() {
    ledger(|| {
        let call = RuntimeCall::Revocation(create(&[ISSUER], false, LIST));
        let refusal = call.dispatch(RuntimeOrigin::signed(7)).expect_err("a refusal");
        assert_eq!(refusal.error, sp_runtime::DispatchError::BadOrigin);
    });
}
