//! Every limit is tested one below it, at it and one above. Limits of an accumulator's update are tested with that
//! call.

use super::*;
use crate::limits::*;

/// The counts around a limit, each with whether it is allowed.
fn around(limit: u32) -> [(u32, bool); 3] {
    [(limit - 1, true), (limit, true), (limit + 1, false)]
}

fn expected(allowed: bool, refusal: Error<Test>) -> DispatchResult {
    if allowed {
        Ok(())
    } else {
        Err(refusal.into())
    }
}

#[test]
fn a_policy_has_15_dids_at_most() {
    for (count, allowed) in around(MAX_POLICY) {
        ledger(|| {
            let policy: Vec<Did> = (1..=count as u8).map(did).collect();
            let result = act(ISSUER, create(&policy, false, LIST));
            assert_eq!(result, expected(allowed, Error::TooManyPolicyDids), "{count}");
        });
    }
}

#[test]
fn a_list_has_131072_to_1048576_bits_in_whole_bytes() {
    let cases = [
        (MIN_LENGTH - 8, false),
        (MIN_LENGTH - 1, false),
        (MIN_LENGTH, true),
        (MIN_LENGTH + 1, false),
        (MIN_LENGTH + 8, true),
        (MAX_LENGTH - 8, true),
        (MAX_LENGTH - 1, false),
        (MAX_LENGTH, true),
        (MAX_LENGTH + 1, false),
        (MAX_LENGTH + 8, false),
    ];
    for (length, allowed) in cases {
        ledger(|| {
            let result = act(ISSUER, create(&[ISSUER], false, KindInput::StatusList { length }));
            assert_eq!(result, expected(allowed, Error::BadKind), "{length}");
            let last = act(ISSUER, set(&[length - 1], &[]));
            let beyond = act(ISSUER, set(&[length], &[]));
            if allowed {
                assert_eq!((last, beyond), (Ok(()), Err(Error::<Test>::IndexOutOfRange.into())));
            }
        });
    }
}

#[test]
fn a_call_sets_and_clears_1000_bits_at_most() {
    for (count, allowed) in around(MAX_INDEXES) {
        let all: Vec<u32> = (0..count).collect();
        for cleared in [0, count as usize / 2, count as usize] {
            with_list(false, || {
                let result = act(ISSUER, set(&all[cleared..], &all[..cleared]));
                assert_eq!(result, expected(allowed, Error::TooManyIndexes), "{count}");
            });
        }
    }
}

#[test]
fn a_key_and_a_value_of_an_accumulator_have_256_bytes_at_most() {
    for (length, allowed) in around(MAX_ACCUMULATOR_FIELD) {
        let long = || vec![1; length as usize];
        let kinds = [
            KindInput::Accumulator { public_key: long(), accumulated: vec![1] },
            KindInput::Accumulator { public_key: vec![1], accumulated: long() },
        ];
        for kind in kinds {
            ledger(|| {
                let result = act(ISSUER, create(&[ISSUER], false, kind));
                assert_eq!(result, expected(allowed, Error::BadKind), "{length}");
            });
        }
    }
}
