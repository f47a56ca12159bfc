//! Presets of the genesis, as patches of the default one.

use alloc::{vec, vec::Vec};
use sp_genesis_builder::PresetId;

/// The preset of the embedded ledger.
const EMBEDDED: &str = "embedded";

/// The names of all presets.
pub fn preset_names() -> Vec<PresetId> {
    vec![PresetId::from(EMBEDDED)]
}

/// A preset as JSON. It leaves out accounts, the sudo key and authorities; software that makes a genesis adds them.
pub fn preset(id: &PresetId) -> Option<Vec<u8>> {
    let name: &str = id.as_ref();
    (name == EMBEDDED).then(|| br#"{"slots":{"multipleBlocks":true}}"#.to_vec())
}
