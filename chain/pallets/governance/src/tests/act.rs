use frame_support::{assert_noop, assert_ok, traits::Currency};
use sp_runtime::{traits::Hash, DispatchError};

use super::*;

fn payment(amount: u64) -> RuntimeCall {
    let source = Pallet::<Test>::treasury();
    RuntimeCall::Balances(pallet_balances::Call::force_transfer { source, dest: 7, value: amount })
}

fn act(call: RuntimeCall) -> Call<Test> {
    Call::act { call: Box::new(call) }
}

#[test]
fn the_council_acts_as_root_and_pays_from_its_treasury() {
    ledger(&[], || {
        let _ = Balances::deposit_creating(&Pallet::<Test>::treasury(), 100);
        events();
        assert_ok!(send(COUNCIL, act(payment(60))));
        assert_eq!(Balances::free_balance(7), 60);
        let call_hash = <Test as frame_system::Config>::Hashing::hash_of(&payment(60));
        assert_eq!(events(), [Event::Acted { call_hash }]);
    });
}

#[test]
fn its_event_stands_before_those_of_the_call() {
    ledger(&[], || {
        let code_hash = Default::default();
        let call = RuntimeCall::System(frame_system::Call::authorize_upgrade_without_checks { code_hash });
        assert_ok!(send(COUNCIL, act(call)));
        let names: Vec<_> = System::events().into_iter().map(|record| record.event).collect();
        let upgrade = frame_system::Event::UpgradeAuthorized { code_hash, check_version: false };
        assert!(matches!(names[0], RuntimeEvent::Governance(Event::Acted { .. })));
        assert_eq!(names[1..], [RuntimeEvent::System(upgrade)]);
    });
}

#[test]
fn it_fails_where_the_call_fails_and_leaves_nothing() {
    ledger(&[], || {
        let refused = send(COUNCIL, act(payment(60)));
        assert!(refused.is_err());
        assert_noop!(send(COUNCIL, act(payment(61))), refused.expect_err("an error"));
    });
}

#[test]
fn nobody_else_acts_as_root() {
    ledger(&[], || {
        assert_noop!(send(7, act(payment(0))), DispatchError::BadOrigin);
    });
}

#[test]
fn no_event_says_that_the_council_acts_where_root_itself_does() {
    ledger(&[], || {
        let code_hash = Default::default();
        let call = RuntimeCall::System(frame_system::Call::authorize_upgrade_without_checks { code_hash });
        assert_ok!(RuntimeCall::Governance(act(call)).dispatch(RuntimeOrigin::root()));
        let names: Vec<_> = System::events().into_iter().map(|record| record.event).collect();
        let upgrade = frame_system::Event::UpgradeAuthorized { code_hash, check_version: false };
        assert_eq!(names, [RuntimeEvent::System(upgrade)]);
    });
}
