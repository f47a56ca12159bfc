//! View functions are identified by a hash of their names and types. Clients rely on these ids.

use codec::{Decode, Encode};
use frame_support::view_functions::{ViewFunctionDispatchError, ViewFunctionId};
use pallet_trust_registry::{FilterBy, Page, QueryError};

use super::*;

/// The id of a view function.
fn id_of_view(name: &str) -> ViewFunctionId {
    let all = pallet_trust_registry::Pallet::<Runtime>::pallet_view_functions_metadata();
    let id = all.into_iter().find(|function| function.name == name).expect("the view function").id;
    ViewFunctionId::decode(&mut &id[..]).expect("an id")
}

#[test]
fn ids_of_view_functions_stay_as_they_are_and_all_are_documented() {
    let mut found = String::new();
    for function in pallet_trust_registry::Pallet::<Runtime>::pallet_view_functions_metadata() {
        assert!(!function.docs.concat().trim().is_empty(), "{} has no documentation", function.name);
        let id = sp_core::bytes::to_hex(&function.id, false);
        found.push_str(&format!("trust-registry {} {id}\n", function.name));
    }
    let known = include_str!("view_functions.txt");
    assert_eq!(found, known, "write this to view_functions.txt where a line is new:\n{found}");
}

#[test]
fn a_question_is_answered_by_its_id() {
    ledger(|| {
        let id = id_of_view("issuers_trust_registries");
        let did = Did::Svc(id_of(1));
        let answer = Runtime::execute_view_function(id, (did, None::<H256>).encode()).expect("an answer");
        let page = Result::<Page<H256>, QueryError>::decode(&mut &answer[..]).expect("a page");
        assert_eq!(page, Ok(Page { list: vec![], next: None }));
    });
}

#[test]
fn a_field_of_a_filter_names_64_ids_at_most() {
    ledger(|| {
        let ask = |count: u8| {
            let ids: Vec<H256> = (0..count).map(|number| H256([number; 32])).collect();
            // The input is three absent fields, then AnyOf the ids, and no cursor.
            let input = ([None::<()>; 3], Some((0u8, ids)), None::<H256>).encode();
            Runtime::execute_view_function(id_of_view("registries_ids"), input)
        };
        assert!(ask(63).is_ok());
        assert!(ask(64).is_ok());
        assert!(matches!(ask(65), Err(ViewFunctionDispatchError::Codec)));
        assert_eq!(FilterBy::one(1).ids().len(), 1);
    });
}
