//! Validity of signatures: what they cover, and how long they are valid.

use codec::DecodeAll;
use frame_support::{assert_noop, assert_ok};

use super::{
    dispatch_as::{first_act, set},
    *,
};

#[test]
fn a_signature_is_over_the_sorted_calls_in_whatever_order_they_were_sent() {
    ledger(|| {
        let did = created(1);
        let sorted = first_act(did, 1, vec![Call::revoke_keys { did, keys: [2, 3].into() }]);
        // The same call with its set in reverse order and one number twice.
        let mut sent = sorted.calls().encode();
        let set = sent.len() - 9;
        assert_eq!(sent[set], 2 << 2);
        sent.splice(set.., [vec![3 << 2], 3u32.encode(), 2u32.encode(), 3u32.encode()].concat());
        let calls = Vec::<RuntimeCall>::decode_all(&mut &sent[..]).expect("calls");
        assert_eq!(calls, sorted.calls());
        let around = sorted.clone().with(|payload| payload.calls.clear()).bytes();
        let signed = [&around[..around.len() - 1], &sent[..]].concat();
        let over_what_was_sent = pair(1).sign(&signed).0;
        assert_noop!(outcome(sorted.send_signed(over_what_was_sent)), Error::<Test>::BadSignature);
        assert_noop!(sorted.send(), Error::<Test>::KeyNotFound);
    });
}

#[test]
fn what_is_signed_for_one_purpose_is_worth_nothing_for_another() {
    let tags: [&[u8]; 4] = [&ID_TAG, &CREATION_TAG, &ACTION_TAG, &POSSESSION_TAG];
    for (number, tag) in tags.iter().enumerate() {
        for other in &tags[number + 1..] {
            assert!(!tag.starts_with(other) && !other.starts_with(tag));
        }
    }
}

#[test]
fn a_retired_or_revoked_key_acts_no_more() {
    ledger(|| {
        let did = created(1);
        let keys = vec![proven(did, 3)];
        assert_ok!(act(did, Call::add_keys { did, keys }));
        assert_ok!(act(did, Call::rotate_key { did, old: 1, new: proven(did, 2) }));
        assert_ok!(act(did, Call::revoke_keys { did, keys: [2].into() }));
        for (key_id, seed) in [(1, 1), (3, 2)] {
            let through = first_act(did, seed, vec![set(did, "a")]).with(|payload| payload.key_id = key_id);
            let expected = if key_id == 3 { Ok(()) } else { Err(Error::<Test>::KeyNotFound.into()) };
            assert_eq!(through.send(), expected, "{key_id}");
        }
        let revoked = first_act(did, 3, vec![set(did, "a")]).with(|payload| (payload.key_id, payload.nonce) = (2, 2));
        assert_noop!(revoked.send(), Error::<Test>::KeyNotFound);
    });
}
