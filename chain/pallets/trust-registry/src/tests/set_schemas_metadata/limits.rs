use std::collections::BTreeMap;

use frame_support::{assert_noop, assert_ok};
use sp_core::H256;

use crate::{limits::*, tests::*, *};

const S: H256 = schema(1);

fn many(count: u32) -> Vec<Did> {
    (0..count).map(numbered).collect()
}

fn ensured(dids: &[Did]) -> SchemasUpdate {
    let ops = dids.iter().map(|did| (*did, IssuerOp::Ensure)).collect();
    one(S, SchemaOp::Ensure(issuers(IssuersUpdate::Modify(ops))))
}

#[test]
fn a_call_names_a_thousand_things_at_most() {
    with_registry(|| {
        assert_noop!(update(CONVENER, ensured(&many(MAX_CHANGES))), Error::<Test>::TooManyChanges);
        assert_ok!(update(CONVENER, ensured(&many(MAX_CHANGES - 1))));
        assert_eq!(events().len(), MAX_CHANGES as usize + 1);
    });
}

#[test]
fn what_is_stored_under_a_replaced_or_removed_thing_counts() {
    with_registry(|| {
        assert_ok!(update(CONVENER, ensured(&many(MAX_CHANGES - 1))));
        let set = |count: u32| {
            let named = many(count).into_iter().map(|did| (did, prices(&[]))).collect();
            update_at(CONVENER, one(S, SchemaOp::Modify(issuers(IssuersUpdate::Set(named)))), Some(version()))
        };
        // The schema and what is stored are a thousand: nothing more may be named.
        assert_noop!(set(1), Error::<Test>::TooManyChanges);
        assert_noop!(
            update_at(CONVENER, SchemasUpdate::Set([(S, metadata(&[], &[]))].into()), Some(1)),
            Error::<Test>::TooManyChanges
        );
        assert_noop!(update(CONVENER, one(S, SchemaOp::Set(metadata(&[did(2)], &[])))), Error::<Test>::TooManyChanges);
        let two = [(S, SchemaOp::Remove), (schema(2), SchemaOp::Discard)];
        assert_noop!(update(CONVENER, SchemasUpdate::Modify(two.into())), Error::<Test>::TooManyChanges);
        // A change of one participant looks at nothing else.
        assert_ok!(update(CONVENER, issuer(S, did(9), IssuerOp::Ensure)));
        assert_noop!(update(CONVENER, one(S, SchemaOp::Remove)), Error::<Test>::TooManyChanges);
        assert_ok!(update(CONVENER, issuer(S, did(9), IssuerOp::Remove)));
        assert_ok!(update(CONVENER, one(S, SchemaOp::Remove)));
    });
}

#[test]
fn delegations_that_end_count() {
    with_registry(|| {
        let leaving = many(59);
        assert_ok!(update(CONVENER, ensured(&leaving)));
        for issuer in &leaving {
            delegate(*issuer, &many(75)[59..]);
        }
        // The schema, 59 issuers and 944 delegations.
        assert_noop!(update(CONVENER, one(S, SchemaOp::Remove)), Error::<Test>::TooManyChanges);
        delegate(leaving[0], &many(71)[59..]);
        assert_ok!(update(CONVENER, one(S, SchemaOp::Remove)));
    });
}

#[test]
fn prices_and_currencies_are_counted() {
    with_registry(|| {
        let list = |count: u32| -> PricesInput { (0..count).map(|n| (format!("C{n}").into_bytes(), 1)).collect() };
        let priced = |issuers: u32, currencies: u32| {
            let issuers: BTreeMap<_, _> = many(issuers).into_iter().map(|did| (did, list(currencies))).collect();
            one(S, SchemaOp::Add(Metadata { issuers, verifiers: None }))
        };
        assert_noop!(update(CONVENER, priced(201, MAX_CURRENCIES)), Error::<Test>::TooManyPrices);
        assert_noop!(update(CONVENER, priced(1, MAX_CURRENCIES + 1)), Error::<Test>::TooManyCurrencies);
        assert_ok!(update(CONVENER, priced(200, MAX_CURRENCIES)));
        let one_more = [(b"MORE".to_vec(), PriceOp::Set(1))].into();
        let one_more = issuer(S, many(1)[0], IssuerOp::Modify(one_more));
        assert_noop!(update(CONVENER, one_more), Error::<Test>::TooManyCurrencies);
        let swap = [(b"C0".to_vec(), PriceOp::Remove), (b"MORE".to_vec(), PriceOp::Set(1))].into();
        assert_ok!(update(CONVENER, issuer(S, many(1)[0], IssuerOp::Modify(swap))));
    });
}
