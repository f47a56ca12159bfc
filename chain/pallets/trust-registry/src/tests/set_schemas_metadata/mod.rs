//! Tests of the largest call, one file for each part of its grammar.

mod issuers;
mod limits;
mod public;
mod refusals;
mod rights;
mod schemas;
mod verifiers;
mod version;
