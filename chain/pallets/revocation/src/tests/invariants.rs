//! Each invariant is broken once, and the check reports it.

use super::*;

/// Result of the check on a ledger with one list after a change of its storage.
fn broken(by: impl FnOnce()) -> Result<(), &'static str> {
    for_benchmarks().execute_with(|| {
        assert_eq!(act(ISSUER, create(&[ISSUER], false, LIST)), Ok(()));
        assert_eq!(act(ISSUER, set(&[7], &[])), Ok(()));
        assert_eq!(Pallet::<Test>::check_invariants(), Ok(()));
        by();
        Pallet::<Test>::check_invariants()
    })
}

#[test]
fn somebody_may_change_a_registry() {
    let nobody = || {
        let mut registry = Pallet::<Test>::registry(REGISTRY).expect("the registry");
        registry.policy = Policy::new();
        Registries::<Test>::insert(REGISTRY, RegistryState::Active(registry));
    };
    assert_eq!(broken(nobody), Err("a registry nobody can change"));
}

#[test]
fn a_chunk_has_a_set_bit_inside_the_list_of_a_registry_in_use() {
    let last = crate::limits::MIN_LENGTH / CHUNK_BITS;
    let chunk = |number: u32, index: u32| {
        let mut chunk = Chunk::default();
        chunk.put(index, true);
        Chunks::<Test>::insert(REGISTRY, number, chunk);
    };
    assert_eq!(broken(|| chunk(last - 1, crate::limits::MIN_LENGTH - 1)), Ok(()));
    assert_eq!(broken(|| chunk(last, crate::limits::MIN_LENGTH)), Err("a bit beyond the end is set"));
    assert_eq!(broken(|| chunk(u32::MAX, 0)), Err("a chunk has an impossible number"));
    let zero = || Chunks::<Test>::insert(REGISTRY, 1, Chunk::default());
    assert_eq!(broken(zero), Err("a chunk without a set bit is stored"));
    let removed = || Registries::<Test>::insert(REGISTRY, RegistryState::Removed);
    assert_eq!(broken(removed), Err("status bits belong to no registry"));
}
