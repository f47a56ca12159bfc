//! What holds for every history.

use std::collections::BTreeSet;

use proptest::{collection::vec, prelude::*};

use super::*;
use crate::limits::MIN_LENGTH;

/// Indexes that meet often, around the borders of bytes, chunks and the list.
fn indexes() -> impl Strategy<Value = u32> {
    prop_oneof![0u32..10, 2_045u32..2_050, MIN_LENGTH - 3..MIN_LENGTH + 1]
}

fn stored() -> BTreeSet<u32> {
    let bits = |(_, number, chunk): (H256, u32, Chunk)| {
        let first = number * CHUNK_BITS;
        (first..first + CHUNK_BITS).filter(move |index| chunk.get(*index))
    };
    Chunks::<Test>::iter().flat_map(bits).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(50) })]

    #[test]
    fn setting_and_clearing_in_any_order_is_a_set_and_events_alone_rebuild_it(
        add_only: bool,
        history in vec((vec(indexes(), 0..6), vec(indexes(), 0..4)), 1..12),
    ) {
        with_list(add_only, || {
            let (mut model, mut folded, mut versions) = (BTreeSet::new(), BTreeSet::new(), 0);
            for (revoke, unrevoke) in history {
                let unrevoke = if add_only && revoke.len() % 3 > 0 { vec![] } else { unrevoke };
                let in_range = revoke.iter().chain(&unrevoke).all(|index| *index < MIN_LENGTH);
                let disjoint = !revoke.iter().any(|index| unrevoke.contains(index));
                let allowed = !add_only || unrevoke.is_empty();
                let named = revoke.len() + unrevoke.len() > 0;
                let result = act(ISSUER, set(&revoke, &unrevoke));
                assert_eq!(result.is_ok(), in_range && disjoint && allowed && named);
                if result.is_ok() {
                    model.extend(revoke);
                    model.retain(|index| !unrevoke.contains(index));
                }
                for event in events() {
                    let Event::StatusChanged { revoked, unrevoked, version, .. } = event else { panic!("{event:?}") };
                    versions += 1;
                    assert_eq!(version, versions);
                    assert!(revoked.into_iter().all(|index| folded.insert(index)));
                    assert!(unrevoked.into_iter().all(|index| folded.remove(&index)));
                }
                assert_eq!(model, folded);
                assert_eq!(Pallet::<Test>::check_invariants(), Ok(()));
            }
            assert_eq!(stored(), model);
        });
    }
}
