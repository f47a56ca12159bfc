use frame_support::assert_noop;
use sp_core::H256;

use crate::{limits::*, tests::*, *};

const S: H256 = schema(1);

#[test]
fn an_empty_modify_at_any_depth_is_refused() {
    with_registry(|| {
        add(S, metadata(&[did(2)], &[]));
        let empties = [
            SchemasUpdate::Modify(Default::default()),
            one(S, SchemaOp::Modify(MetadataUpdate::default())),
            one(S, SchemaOp::Modify(issuers(IssuersUpdate::Modify(Default::default())))),
            one(S, SchemaOp::Ensure(verifiers(VerifiersUpdate::Modify(Default::default())))),
            issuer(S, did(2), IssuerOp::Modify(Default::default())),
        ];
        for empty in empties {
            assert_noop!(update(CONVENER, empty), Error::<Test>::EmptyUpdate);
        }
    });
}

#[test]
fn refusals_come_in_order_registry_limits_empty_version_operations() {
    with_registry(|| {
        let many = |count: usize| (0..count).map(|number| (format!("C{number}").into_bytes(), 1)).collect();
        let issuers_of = |prices: PricesInput| IssuersUpdate::Set([(did(2), prices)].into());
        let ops = |prices: PricesInput, with_empty: bool| {
            let mut ops = std::collections::BTreeMap::new();
            ops.insert(S, SchemaOp::Modify(issuers(issuers_of(prices))));
            if with_empty {
                ops.insert(schema(2), SchemaOp::Modify(MetadataUpdate::default()));
            }
            SchemasUpdate::Modify(ops)
        };
        let bad = || ops(many(MAX_CURRENCIES as usize + 1), true);
        let call = Call::set_schemas_metadata { registry_id: H256([7; 32]), update: bad(), expected_version: None };
        assert_noop!(act(did(9), call), Error::<Test>::NotFound);
        assert_noop!(update(did(9), bad()), Error::<Test>::TooManyCurrencies);
        let lower = ops([(b"eur".to_vec(), 1)].into(), true);
        assert_noop!(update(did(9), lower), Error::<Test>::BadCurrency);
        let empty = || ops(many(1), true);
        assert_noop!(update(did(9), empty()), Error::<Test>::EmptyUpdate);
        let fine = || ops(many(1), false);
        assert_noop!(update(did(9), fine()), Error::<Test>::VersionRequired);
        assert_noop!(update_at(did(9), fine(), Some(5)), Error::<Test>::VersionMismatch);
        assert_noop!(update_at(did(9), fine(), Some(0)), Error::<Test>::NotFound);
        add(S, metadata(&[], &[]));
        assert_noop!(update_at(did(9), fine(), Some(1)), Error::<Test>::NotAuthorized);
    });
}

#[test]
fn the_first_refusal_in_key_order_counts_schemas_then_issuers_then_verifiers() {
    with_registry(|| {
        add(S, metadata(&[did(2)], &[did(2)]));
        let both = MetadataUpdate {
            issuers: Some(IssuersUpdate::Modify(
                [(did(2), IssuerOp::Add(prices(&[]))), (did(3), IssuerOp::Remove)].into(),
            )),
            verifiers: Some(VerifiersUpdate::Modify([(did(3), VerifierOp::Remove)].into())),
        };
        let ops = [(S, SchemaOp::Modify(both)), (schema(2), SchemaOp::Remove)];
        assert_noop!(update(CONVENER, SchemasUpdate::Modify(ops.into())), Error::<Test>::AlreadyExists);
    });
}

#[test]
fn a_currency_is_one_to_ten_capitals_and_digits() {
    with_registry(|| {
        add(S, metadata(&[did(2)], &[]));
        for symbol in ["", "eur", "EU R", "€", "ABCDEFGHIJK"] {
            let set = IssuerOp::Set(prices(&[(symbol, 1)]));
            assert_noop!(update(CONVENER, issuer(S, did(2), set)), Error::<Test>::BadCurrency);
            let remove = IssuerOp::Modify([(symbol.as_bytes().to_vec(), PriceOp::Remove)].into());
            assert_noop!(update(CONVENER, issuer(S, did(2), remove)), Error::<Test>::BadCurrency);
        }
        assert_eq!(update(CONVENER, issuer(S, did(2), IssuerOp::Set(prices(&[("1INCH", 1)])))), Ok(()));
    });
}
