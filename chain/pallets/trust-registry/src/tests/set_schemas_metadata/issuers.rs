use frame_support::{assert_noop, assert_ok};

use crate::{tests::*, *};

const S: sp_core::H256 = schema(1);

fn by_convener(op: IssuerOp) -> DispatchResult {
    update(CONVENER, issuer(S, did(2), op))
}

fn reprice(ops: &[(&str, PriceOp)]) -> IssuerOp {
    IssuerOp::Modify(ops.iter().map(|(symbol, op)| (symbol.as_bytes().to_vec(), op.clone())).collect())
}

fn told(old: &[(&str, u128)], new: &[(&str, u128)]) -> Event<Test> {
    issuer_changed(S, did(2), Some(stored_prices(old)), Some(stored_prices(new)))
}

fn with_issuer(list: &[(&str, u128)], test: impl FnOnce()) {
    with_registry(|| {
        let issuers = [(did(2), prices(list))].into();
        add(S, Metadata { issuers, verifiers: None });
        test();
    });
}

#[test]
fn add_lists_an_issuer_with_its_prices_once() {
    with_registry(|| {
        add(S, metadata(&[], &[]));
        assert_ok!(by_convener(IssuerOp::Add(prices(&[("EUR", 5)]))));
        let new = Some(stored_prices(&[("EUR", 5)]));
        assert_eq!(events(), [issuer_changed(S, did(2), None, new), versioned(2)]);
        assert_noop!(by_convener(IssuerOp::Add(prices(&[]))), Error::<Test>::AlreadyExists);
    });
}

#[test]
fn set_replaces_all_prices_and_lists_a_missing_issuer() {
    with_issuer(&[("EUR", 5), ("USD", 6)], || {
        assert_ok!(by_convener(IssuerOp::Set(prices(&[("EUR", 0)]))));
        assert_eq!(events(), [told(&[("EUR", 5), ("USD", 6)], &[("EUR", 0)]), versioned(2)]);
        assert_ok!(by_convener(IssuerOp::Set(prices(&[("EUR", 0)]))));
        assert_eq!(events(), []);
        assert_ok!(update(CONVENER, issuer(S, did(3), IssuerOp::Set(prices(&[])))));
        assert_eq!(events(), [issuer_came(S, did(3)), versioned(3)]);
    });
}

#[test]
fn remove_needs_a_listed_issuer_and_discard_does_not() {
    with_issuer(&[("EUR", 5)], || {
        assert_ok!(by_convener(IssuerOp::Remove));
        let old = Some(stored_prices(&[("EUR", 5)]));
        assert_eq!(events(), [issuer_changed(S, did(2), old, None), versioned(2)]);
        assert_noop!(by_convener(IssuerOp::Remove), Error::<Test>::NotFound);
        assert_ok!(by_convener(IssuerOp::Discard));
        assert_eq!(events(), []);
    });
}

#[test]
fn ensure_keeps_prices_and_lists_a_missing_issuer_without_any() {
    with_issuer(&[("EUR", 5)], || {
        assert_ok!(by_convener(IssuerOp::Ensure));
        assert_eq!(events(), []);
        assert_ok!(update(CONVENER, issuer(S, did(3), IssuerOp::Ensure)));
        assert_eq!(events(), [issuer_came(S, did(3)), versioned(2)]);
    });
}

#[test]
fn modify_changes_prices_one_by_one() {
    with_issuer(&[("EUR", 5), ("USD", 6)], || {
        let ops = [("CHF", PriceOp::Add(1)), ("EUR", PriceOp::Remove), ("USD", PriceOp::Set(7))];
        assert_ok!(by_convener(reprice(&ops)));
        assert_eq!(events(), [told(&[("EUR", 5), ("USD", 6)], &[("CHF", 1), ("USD", 7)]), versioned(2)]);
        assert_ok!(by_convener(reprice(&[("USD", PriceOp::Set(7))])));
        assert_eq!(events(), []);
    });
}

#[test]
fn prices_are_added_where_there_are_none_and_removed_where_they_are() {
    with_issuer(&[("EUR", 5)], || {
        assert_noop!(by_convener(reprice(&[("EUR", PriceOp::Add(5))])), Error::<Test>::AlreadyExists);
        assert_noop!(by_convener(reprice(&[("USD", PriceOp::Remove)])), Error::<Test>::NotFound);
        let absent = issuer(S, did(3), reprice(&[("EUR", PriceOp::Set(5))]));
        assert_noop!(update(CONVENER, absent), Error::<Test>::NotFound);
    });
}

#[test]
fn set_of_issuers_removes_the_others_and_leaves_verifiers_alone() {
    with_registry(|| {
        add(S, metadata(&[did(2), did(3)], &[did(2)]));
        let set = IssuersUpdate::Set([(did(3), prices(&[])), (did(4), prices(&[("EUR", 1)]))].into());
        assert_ok!(update_at(CONVENER, one(S, SchemaOp::Modify(issuers(set))), Some(1)));
        let came = issuer_changed(S, did(4), None, Some(stored_prices(&[("EUR", 1)])));
        assert_eq!(events(), [issuer_left(S, did(2)), came, versioned(2)]);
    });
}
