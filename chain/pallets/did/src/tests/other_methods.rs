use codec::{Decode, Encode};
use frame_support::assert_noop;

use super::{dispatch_as::first_act, *};
use crate::limits::MAX_DID_TEXT;

/// A DID as another encoder would write it: variant 2 and its text.
fn read(text: &[u8]) -> Option<Did> {
    Did::decode(&mut (2u8, text.to_vec()).encode().as_slice()).ok()
}

fn of_length(length: u32) -> Vec<u8> {
    let mut text = b"did:web:".to_vec();
    text.resize(length as usize, b'a');
    text
}

#[test]
fn a_did_of_another_method_is_its_text() {
    for text in ["did:web:example.org", "did:web:example.org%3A8443:a:b", "did:jwk:eyJrdHkiOiJPS1AifQ", "did:a1:_.-x"] {
        let did = read(text.as_bytes()).expect(text);
        assert_eq!(did.encode(), (2u8, text.as_bytes().to_vec()).encode());
    }
    assert!(read(&of_length(MAX_DID_TEXT)).is_some());
}

#[test]
fn what_is_no_did_or_has_a_form_of_its_own_is_not_read() {
    let texts = [
        "",
        "did:",
        "did:web",
        "did:web:",
        "did:web:a:",
        "did::a",
        "web:a",
        "DID:web:a",
        "did:Web:a",
        "did:web:a b",
        "did:web:a#key",
        "did:web:a?b",
        "did:web:a/b",
        "did:web:%",
        "did:web:%4",
        "did:web:%4G",
        "did:web:\u{e9}",
        "did:svc:1",
        "did:key:z6Mk",
    ];
    for text in texts {
        assert_eq!(read(text.as_bytes()), None, "{text}");
    }
    assert_eq!(read(&of_length(MAX_DID_TEXT + 1)), None);
}

#[test]
fn a_did_of_another_method_neither_acts_nor_controls() {
    ledger(|| {
        let did = created(1);
        let other = read(b"did:web:example.org").expect("a DID");
        assert!(!Pallet::<Test>::is_active(&other));
        let controllers = [other.clone()].into();
        assert_noop!(act(did, Call::add_controllers { did, controllers }), Error::<Test>::BadController);
        assert_noop!(
            first_act(other, 1, vec![Call::remove_service { did, id: vec![] }]).send(),
            Error::<Test>::KeyNotAuthorized
        );
    });
}
