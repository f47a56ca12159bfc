use std::collections::BTreeMap;

use frame_support::{assert_noop, assert_ok};
use sp_core::H256;

use crate::{
    limits::*,
    tests::{
        limits::{around, expected, many},
        *,
    },
    *,
};

const S: H256 = schema(1);

fn ensured(dids: &[Did]) -> SchemasUpdate {
    let ops = dids.iter().map(|did| (did.clone(), IssuerOp::Ensure)).collect();
    one(S, SchemaOp::Ensure(issuers(IssuersUpdate::Modify(ops))))
}

#[test]
fn a_call_names_a_thousand_things_at_most() {
    for (count, allowed) in around(MAX_CHANGES) {
        with_registry(|| {
            // The schema counts as one of the changes.
            let result = update(CONVENER, ensured(&many(count - 1)));
            assert_eq!(result, expected(allowed, Error::TooManyChanges), "{count}");
            assert_eq!(events().len(), if allowed { count as usize + 1 } else { 0 });
        });
    }
}

#[test]
fn what_is_stored_under_a_replaced_or_removed_thing_counts() {
    with_registry(|| {
        assert_ok!(update(CONVENER, ensured(&many(MAX_CHANGES - 1))));
        let set = |count: u32| {
            let named = many(count).into_iter().map(|did| (did, prices(&[]))).collect();
            update_at(CONVENER, one(S, SchemaOp::Modify(issuers(IssuersUpdate::Set(named)))), Some(version()))
        };
        // The schema and what is stored make a thousand, so nothing more may be named.
        assert_noop!(set(1), Error::<Test>::TooManyChanges);
        assert_noop!(
            update_at(CONVENER, SchemasUpdate::Set([(S, metadata(&[], &[]))].into()), Some(1)),
            Error::<Test>::TooManyChanges
        );
        assert_noop!(update(CONVENER, one(S, SchemaOp::Set(metadata(&[did(2)], &[])))), Error::<Test>::TooManyChanges);
        let two = [(S, SchemaOp::Remove), (schema(2), SchemaOp::Discard)];
        assert_noop!(update(CONVENER, SchemasUpdate::Modify(two.into())), Error::<Test>::TooManyChanges);
        // A change of one participant visits nothing else.
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
            delegate(issuer.clone(), &many(75)[59..]);
        }
        // The removal visits the schema, 59 issuers and 944 delegations.
        assert_noop!(update(CONVENER, one(S, SchemaOp::Remove)), Error::<Test>::TooManyChanges);
        delegate(leaving[0].clone(), &many(71)[59..]);
        assert_ok!(update(CONVENER, one(S, SchemaOp::Remove)));
    });
}

fn list(count: u32) -> PricesInput {
    (0..count).map(|number| (format!("C{number}").into_bytes(), 1)).collect()
}

#[test]
fn a_call_names_5000_prices_at_most() {
    for (count, allowed) in around(MAX_PRICES_OF_CALL) {
        with_registry(|| {
            let (full, rest) = (count / MAX_CURRENCIES, count % MAX_CURRENCIES);
            let dids = many(full + 1);
            let priced = |(number, did): (usize, &Did)| {
                (did.clone(), list(if number < full as usize { MAX_CURRENCIES } else { rest }))
            };
            let issuers: BTreeMap<_, _> = dids.iter().enumerate().map(priced).collect();
            assert_eq!(issuers.values().map(|prices| prices.len() as u32).sum::<u32>(), count);
            let result = update(CONVENER, one(S, SchemaOp::Add(Metadata { issuers, verifiers: None })));
            assert_eq!(result, expected(allowed, Error::TooManyPrices), "{count}");
        });
    }
}

#[test]
fn an_issuer_has_prices_in_25_currencies_at_most() {
    let by_convener = |op: IssuerOp| update(CONVENER, issuer(S, did(2), op));
    for (count, allowed) in around(MAX_CURRENCIES) {
        with_registry(|| {
            add(S, metadata(&[], &[]));
            let result = by_convener(IssuerOp::Set(list(count)));
            assert_eq!(result, expected(allowed, Error::TooManyCurrencies), "{count}");
        });
        with_registry(|| {
            add(S, metadata(&[], &[]));
            assert_ok!(by_convener(IssuerOp::Add(list(count - 1))));
            let one_more = IssuerOp::Modify([(b"MORE".to_vec(), PriceOp::Set(1))].into());
            assert_eq!(by_convener(one_more), expected(allowed, Error::TooManyCurrencies), "{count}");
        });
    }
    with_registry(|| {
        add(S, metadata(&[], &[]));
        assert_ok!(by_convener(IssuerOp::Add(list(MAX_CURRENCIES))));
        let swap = [(b"C0".to_vec(), PriceOp::Remove), (b"MORE".to_vec(), PriceOp::Set(1))].into();
        assert_ok!(by_convener(IssuerOp::Modify(swap)));
    });
}

#[test]
fn a_symbol_has_10_letters_at_most() {
    for (length, allowed) in around(MAX_SYMBOL) {
        with_registry(|| {
            add(S, metadata(&[did(2)], &[]));
            let set = IssuerOp::Set([(vec![b'A'; length as usize], 1)].into());
            let result = update(CONVENER, issuer(S, did(2), set));
            assert_eq!(result, expected(allowed, Error::BadCurrency), "{length}");
        });
    }
}
