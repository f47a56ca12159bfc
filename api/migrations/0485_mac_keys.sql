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
