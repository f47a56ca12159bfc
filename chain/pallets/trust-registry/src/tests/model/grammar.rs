//! Properties of an update by its form alone.

use crate::*;

/// Whether a list of changes is empty.
pub fn has_empty_modify(update: &SchemasUpdate) -> bool {
    let SchemasUpdate::Modify(ops) = update else { return false };
    let in_participants = |update: &MetadataUpdate| {
        let issuers = match &update.issuers {
            Some(IssuersUpdate::Modify(ops)) => {
                ops.is_empty() || ops.values().any(|op| matches!(op, IssuerOp::Modify(prices) if prices.is_empty()))
            }
            _ => false,
        };
        issuers || matches!(&update.verifiers, Some(VerifiersUpdate::Modify(ops)) if ops.is_empty())
    };
    ops.is_empty()
        || ops.values().any(|op| match op {
            SchemaOp::Modify(update) => *update == MetadataUpdate::default() || in_participants(update),
            SchemaOp::Ensure(update) => in_participants(update),
            _ => false,
        })
}

/// Whether a collection is replaced.
pub fn has_set(update: &SchemasUpdate) -> bool {
    let SchemasUpdate::Modify(ops) = update else { return true };
    ops.values().any(|op| match op {
        SchemaOp::Set(_) => true,
        SchemaOp::Modify(update) | SchemaOp::Ensure(update) => {
            matches!(update.issuers, Some(IssuersUpdate::Set(_)))
                || matches!(update.verifiers, Some(VerifiersUpdate::Set(_)))
        }
        _ => false,
    })
}
