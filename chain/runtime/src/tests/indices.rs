//! Indices name calls, events and errors on chain and in signed bytes. An index is given once; the list only grows.

use scale_info::{MetaType, TypeDef};

use super::*;

fn variants(pallet: &str, kind: &str, of: MetaType) -> Vec<String> {
    let info = of.type_info();
    let TypeDef::Variant(definition) = info.type_def else { panic!("{pallet} {kind} is no enum") };
    let line = |variant: &scale_info::Variant| {
        let docs = variant.docs.join(" ");
        assert!(!docs.trim().is_empty(), "{pallet} {kind} {} has no documentation", variant.name);
        let fields: Vec<_> = variant.fields.iter().filter_map(|field| field.name).collect();
        format!("{pallet} {kind} {} {} {}", variant.index, variant.name, fields.join(" ")).trim_end().to_string()
    };
    definition.variants.iter().filter(|variant| variant.name != "__Ignore").map(line).collect()
}

#[test]
fn indices_of_calls_events_and_errors_stay_as_they_are_and_all_are_documented() {
    let mut found = Vec::new();
    let mut add = |pallet, kind, of| found.extend(variants(pallet, kind, of));
    add("did", "call", MetaType::new::<pallet_did::Call<Runtime>>());
    add("did", "event", MetaType::new::<pallet_did::Event<Runtime>>());
    add("did", "error", MetaType::new::<pallet_did::Error<Runtime>>());
    add("trust-registry", "call", MetaType::new::<pallet_trust_registry::Call<Runtime>>());
    add("trust-registry", "event", MetaType::new::<pallet_trust_registry::Event<Runtime>>());
    add("trust-registry", "error", MetaType::new::<pallet_trust_registry::Error<Runtime>>());
    add("revocation", "call", MetaType::new::<pallet_revocation::Call<Runtime>>());
    add("revocation", "event", MetaType::new::<pallet_revocation::Event<Runtime>>());
    add("revocation", "error", MetaType::new::<pallet_revocation::Error<Runtime>>());
    add("governance", "call", MetaType::new::<pallet_governance::Call<Runtime>>());
    add("governance", "event", MetaType::new::<pallet_governance::Event<Runtime>>());
    add("governance", "error", MetaType::new::<pallet_governance::Error<Runtime>>());
    let known = include_str!("indices.txt");
    let found = found.join("\n") + "\n";
    assert_eq!(found, known, "write this to indices.txt where a line is new:\n{found}");
}

#[test]
fn every_storage_item_is_documented() {
    let all = [
        pallet_did::Pallet::<Runtime>::storage_metadata(),
        pallet_trust_registry::Pallet::<Runtime>::storage_metadata(),
        pallet_revocation::Pallet::<Runtime>::storage_metadata(),
        pallet_governance::Pallet::<Runtime>::storage_metadata(),
    ];
    for entry in all.into_iter().flat_map(|pallet| pallet.entries) {
        assert!(!entry.docs.concat().trim().is_empty(), "{} has no documentation", entry.name);
    }
}
