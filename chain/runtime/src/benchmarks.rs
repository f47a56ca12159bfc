//! The pallets whose weights are measured.

frame_benchmarking::define_benchmarks!(
    [pallet_did, crate::Did]
    [pallet_governance, crate::Governance]
    [pallet_revocation, crate::Revocation]
    [pallet_trust_registry, crate::TrustRegistry]
);
