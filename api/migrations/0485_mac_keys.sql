-- Keys for BBS+ of 2022, which are multiples of another point than those for BBS.
alter table service.did_keys drop constraint did_keys_kind_check;
alter table service.did_keys add constraint did_keys_kind_check
  check (kind in ('Ed25519', 'Bls12381G2', 'X25519', 'BabyJubJub', 'Secp256k1', 'Sr25519', 'Bls12381G2Plus2022'));

-- Keys of the kind BBDT16, one for each DID that issues with it. Both halves are secret, so that no DID document lists them:
-- the id of a method is the DID and the key.
create table service.mac_keys (
  did text primary key references service.dids on delete cascade,
  team_id bigint not null,
  public_key text not null check (public_key ~ '^0x[0-9a-f]{96}$'),
  key_ref text not null unique,
  created timestamptz not null
);
select service.owned('mac_keys');
