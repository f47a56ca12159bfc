use crate::{tests::*, *};

fn preview(actor: Did, update: SchemasUpdate) -> Result<Preview, sp_runtime::DispatchError> {
    Pallet::<Test>::preview_schemas_metadata(actor, REGISTRY, update, None)
}

#[test]
fn it_tells_the_changes_and_the_delegations_that_end_and_changes_nothing() {
    with_registry(|| {
        add(schema(1), metadata(&[did(2)], &[did(3)]));
        delegate(did(2), &[did(5), did(4)]);
        let before = sp_io::storage::root(sp_runtime::StateVersion::V1);
        let schema_id = schema(1);
        let changes = vec![
            Change::Issuer { schema_id, did: did(2), old: Some(Prices::new()), new: None },
            Change::Verifier { schema_id, did: did(3), listed: false },
            Change::SchemaRemoved { schema_id },
        ];
        let ended = |delegate| EndedDelegation { issuer: did(2), delegate };
        let ended_delegations = vec![ended(did(4)), ended(did(5))];
        let remove = || one(schema_id, SchemaOp::Remove);
        assert_eq!(preview(CONVENER, remove()), Ok(Preview { changes, ended_delegations }));
        assert_eq!(preview(did(2), remove()), Err(Error::<Test>::NotAuthorized.into()));
        assert_eq!(preview(CONVENER, one(schema(8), SchemaOp::Remove)), Err(Error::<Test>::NotFound.into()));
        assert_eq!((sp_io::storage::root(sp_runtime::StateVersion::V1), events()), (before, vec![]));
    });
}

#[test]
fn of_an_update_that_changes_nothing_it_tells_nothing() {
    with_registry(|| {
        add(schema(1), metadata(&[did(2)], &[]));
        let nothing = Preview { changes: vec![], ended_delegations: vec![] };
        assert_eq!(preview(CONVENER, one(schema(8), SchemaOp::Discard)), Ok(nothing));
    });
}
