-- All kinds of key that the ledger knows.

alter table service.did_keys drop constraint did_keys_kind_check;
alter table service.did_keys add constraint did_keys_kind_check
  check (kind in ('Ed25519', 'Bls12381G2', 'X25519', 'BabyJubJub', 'Secp256k1', 'Sr25519'));
