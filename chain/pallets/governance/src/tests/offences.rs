//! The end of whoever is reported. The pallet of finality checks that a report is true: the runtime tests that with
//! real votes.

use frame_support::assert_ok;
use sp_runtime::Perbill;
use sp_staking::offence::{Offence, OffenceError, ReportOffence};

use super::*;

/// An offence of a validator in a round.
struct InRound(AccountId, u64);

impl Offence<(AccountId, ())> for InRound {
    const ID: [u8; 16] = *b"an offence of  a";
    type Slot = u64;

    fn offenders(&self) -> Vec<(AccountId, ())> {
        vec![(self.0, ())]
    }

    fn session_index(&self) -> u32 {
        0
    }

    fn validator_set_count(&self) -> u32 {
        3
    }

    fn slot(&self) -> u64 {
        self.1
    }

    fn slash_fraction(&self, _: u32) -> Perbill {
        Perbill::zero()
    }
}

type Reports = OfListed<Test, Offences>;

fn report(validator: AccountId, round: u64) -> Result<(), OffenceError> {
    let known = <Reports as ReportOffence<_, _, InRound>>::is_known_offence(&[(validator, ())], &round);
    let result = Reports::report_offence(vec![], InRound(validator, round));
    assert_eq!(known, result.is_err());
    result
}

fn accounts(list: &[AccountId]) -> Accounts<Test> {
    Accounts::<Test>::try_from(list.to_vec()).expect("a short list")
}

#[test]
fn a_validator_that_is_reported_goes_off_the_list_and_two_events_say_so() {
    ledger(&[1, 2, 3], || {
        assert_eq!(report(2, 7), Ok(()));
        let (old, new) = (accounts(&[1, 2, 3]), accounts(&[1, 3]));
        assert_eq!(events(), [Event::Equivocated { validator: 2 }, Event::ValidatorsSet { old, new }]);
        until(2 * SESSION);
        assert_eq!(Session::validators(), [1, 3]);
    });
}

#[test]
fn an_offence_is_told_once_also_of_a_validator_that_the_council_put_on_the_list_again() {
    ledger(&[1, 2, 3], || {
        assert_eq!(report(2, 7), Ok(()));
        assert_eq!(report(2, 7), Err(OffenceError::DuplicateReport));
        assert_ok!(send(COUNCIL, set(&[1, 2, 3])));
        assert_eq!(report(2, 7), Err(OffenceError::DuplicateReport));
        // Another one of the same round is reported alone.
        assert_eq!(report(3, 7), Ok(()));
        assert_eq!(Validators::<Test>::get(), accounts(&[1, 2]));
        assert_eq!(report(2, 8), Ok(()));
    });
}

#[test]
fn nothing_is_kept_of_reports_of_whoever_is_off_the_list() {
    ledger(&[1, 2, 3], || {
        assert_eq!(report(2, 7), Ok(()));
        for round in 8..20 {
            assert_eq!(report(2, round), Err(OffenceError::DuplicateReport));
            assert_eq!(report(9, round), Err(OffenceError::DuplicateReport));
        }
        assert_eq!(pallet_offences::Reports::<Test>::iter().count(), 1);
    });
}

#[test]
fn the_last_validator_stays_and_an_event_tells_its_offence() {
    ledger(&[1, 2], || {
        assert_eq!(report(1, 7), Ok(()));
        events();
        assert_eq!(report(2, 7), Ok(()));
        assert_eq!(events(), [Event::Equivocated { validator: 2 }]);
        until(4 * SESSION);
        assert_eq!(Session::validators(), [2]);
    });
}

#[test]
fn keys_of_sessions_are_kept_for_some_time_and_not_for_ever() {
    ledger(&[1, 2], || {
        for number in 1..=limits::KEPT_SESSIONS as u64 {
            set_keys(1, 1_000 + number);
            until(number * SESSION);
        }
        let kept = || pallet_session::historical::HistoricalSessions::<Test>::iter_keys().min();
        assert_eq!((Session::current_index(), kept()), (limits::KEPT_SESSIONS, Some(0)));
        for number in 1..=5 {
            set_keys(1, 2_000 + number);
            until((u64::from(limits::KEPT_SESSIONS) + number) * SESSION);
        }
        assert_eq!((Session::current_index(), kept()), (limits::KEPT_SESSIONS + 5, Some(4)));
    });
}
