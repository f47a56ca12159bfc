//! Each invariant is broken once, and the check reports it.

use super::*;

/// Result of the check on a ledger with one DID after a change of its storage.
fn broken(by: impl FnOnce(DidId)) -> Result<(), &'static str> {
    for_benchmarks().execute_with(|| {
        System::set_block_number(1);
        frame_system::BlockHash::<Test>::insert(0, GENESIS);
        let did = created(1);
        assert_eq!(act(did, Call::add_keys { did, keys: vec![unproven(PublicKey::X25519([1; 32]))] }), Ok(()));
        assert_eq!(Pallet::<Test>::check_invariants(), Ok(()));
        by(did);
        Pallet::<Test>::check_invariants()
    })
}

fn change(did: DidId, change: impl FnOnce(&mut DidRecord)) {
    let mut record = Pallet::<Test>::record(did).expect("an active DID");
    change(&mut record);
    crate::Dids::<Test>::insert(did, DidState::Active(record));
}

#[test]
fn counts_are_those_of_what_is_held() {
    let differ = Err("stored counts of a DID differ from what it holds");
    assert_eq!(broken(|did| change(did, |record| record.keys += 1)), differ);
    assert_eq!(broken(|did| change(did, |record| record.control_keys = 0)), differ);
    assert_eq!(broken(|did| Controllers::<Test>::insert(did, did_key(2), ())), differ);
    let (id, web) = stored(service("web", "urn:x"));
    assert_eq!(broken(|did| Services::<Test>::insert(did, id, web)), differ);
}

#[test]
fn somebody_controls_an_active_did() {
    let left = |did| {
        Keys::<Test>::remove(did, 1);
        change(did, |record| (record.keys, record.control_keys) = (1, 0));
    };
    assert_eq!(broken(left), Err("nobody controls an active DID"));
}

#[test]
fn numbers_of_keys_were_given_and_a_revoked_key_is_not_in_use() {
    let never = |did| change(did, |record| record.last_key = 1);
    assert_eq!(broken(never), Err("a key has a number never given"));
    let revoked = |number: u32| {
        move |did: DidId| {
            let numbers = std::collections::BTreeSet::from([number]);
            RevokedKeys::<Test>::insert(did, frame_support::BoundedBTreeSet::try_from(numbers).expect("one number"));
        }
    };
    assert_eq!(broken(revoked(3)), Err("a revoked key has a number never given"));
    assert_eq!(broken(revoked(2)), Err("a revoked key is in use"));
}

#[test]
fn of_a_deactivated_did_nothing_is_left() {
    let bury = |did| crate::Dids::<Test>::insert(did, DidState::Deactivated);
    assert_eq!(broken(bury), Err("a key belongs to no active DID"));
    let with = |left: fn(DidId)| {
        broken(|did| {
            let _ = Keys::<Test>::clear_prefix(did, u32::MAX, None);
            bury(did);
            left(did);
        })
    };
    assert_eq!(with(|did| Nonces::<Test>::insert(Did::from(did), 1)), Err("a tombstone has a nonce"));
    let controller = |did| Controllers::<Test>::insert(did, did_key(2), ());
    assert_eq!(with(controller), Err("a controller belongs to no active DID"));
    let service = |did| {
        let (id, web) = stored(service("web", "urn:x"));
        Services::<Test>::insert(did, id, web);
    };
    assert_eq!(with(service), Err("a service belongs to no active DID"));
    let revoked = |did: DidId| RevokedKeys::<Test>::insert(did, frame_support::BoundedBTreeSet::new());
    assert_eq!(with(revoked), Err("revoked keys belong to no active DID"));
}
