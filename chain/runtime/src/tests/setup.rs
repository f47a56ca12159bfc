use frame_support::traits::{Get, TypedGet};

use super::*;

#[test]
fn the_embedded_preset_lets_a_slot_hold_many_blocks_and_the_default_does_not() {
    type Allow = <Runtime as pallet_aura::Config>::AllowMultipleBlocksPerSlot;
    ledger(|| assert!(!<Allow as Get<bool>>::get()));
    let preset = crate::genesis::preset(&"embedded".into()).expect("the preset");
    let patch: serde_json::Value = serde_json::from_slice(&preset).expect("JSON");
    let mut genesis = default_genesis();
    genesis["slots"] = patch["slots"].clone();
    ledger_of(genesis, || assert!(<Allow as Get<bool>>::get()));
    assert_eq!(crate::genesis::preset_names(), ["embedded".to_string()]);
    assert_eq!(crate::genesis::preset(&"other".into()), None);
}

#[test]
fn fees_go_to_the_account_with_the_sudo_key() {
    let mut genesis = default_genesis();
    genesis["sudo"]["key"] = serde_json::to_value(SUBMITTER).expect("an account");
    ledger_of(genesis, || assert_eq!(crate::configs::Consortium::get(), SUBMITTER));
}

#[test]
fn the_clock_is_the_timestamp_pallets() {
    ledger(|| assert_eq!(Timestamp::get(), NOW));
}
