//! The largest call, its grammar part by part.

mod issuers;
mod limits;
mod public;
mod refusals;
mod rights;
mod schemas;
mod verifiers;
mod version;
