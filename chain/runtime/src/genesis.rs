//! Presets of the genesis, patches over the default one.

use alloc::{vec, vec::Vec};
use sp_genesis_builder::PresetId;

/// The preset of the embedded ledger.
const EMBEDDED: &str = "embedded";

/// The names of all presets.
pub fn preset_names() -> Vec<PresetId> {
    vec![PresetId::from(EMBEDDED)]
}

/// A preset as JSON. Accounts, the sudo key and authorities are for whoever makes the genesis to add.
pub fn preset(id: &PresetId) -> Option<Vec<u8>> {
    let name: &str = id.as_ref();
    (name == EMBEDDED).then(|| br#"{"slots":{"multipleBlocks":true}}"#.to_vec())
}
