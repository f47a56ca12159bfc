-- Revocation registries made here, which index of a list belongs to which credential, and signed status lists.

create table service.revocation_registries (
  -- 0x and 64 hexadecimal characters, as on the ledger.
  id text primary key check (id ~ '^0x[0-9a-f]{64}$'),
  n bigint generated always as identity,
  team_id bigint not null,
  -- The DID that made it and signs its list.
  creator text not null,
  policy text[] not null,
  add_only boolean not null,
  type text not null check (type in ('StatusList2021Entry', 'CredentialStatusList2017')),
  length int not null,
  -- Made for revocable credentials of its creator, not by request.
  automatic boolean not null,
  -- The one that new revocable credentials of its creator go to.
  issuing boolean not null,
  -- pending: its creation is not final; failed: the ledger refused it; removing: its removal is not final.
  status text not null check (status in ('pending', 'active', 'failed', 'removing', 'removed')),
  job_id text not null,
  created timestamptz not null
);
-- Registries are public facts of the ledger.
select service.public_read('revocation_registries');
create unique index revocation_registries_team on service.revocation_registries (team_id, n);
create unique index revocation_registries_issuing on service.revocation_registries (creator, type) where issuing;

create table service.status_entries (
  registry_id text not null references service.revocation_registries,
  index int not null check (index >= 0),
  team_id bigint not null,
  -- blake2b-256 of the credential's id; a caller may use an id for several credentials, each has its index.
  revocation_id text not null check (revocation_id ~ '^0x[0-9a-f]{64}$'),
  -- When it was first revoked or unrevoked here; null: never, so that nothing can be said about the id.
  touched timestamptz,
  primary key (registry_id, index)
);
-- Hashes of ids only: who knows an id may ask about it.
select service.public_read('status_entries');
create index status_entries_revocation on service.status_entries (revocation_id, registry_id);

-- Status list credentials as they were signed, one for each state of the bits that somebody asked for.
create table service.status_lists (
  registry_id text not null references service.revocation_registries,
  -- The last block that changed the bits.
  changed_at int not null,
  -- The verification method that signed it; when another key stands there now, the list is signed again.
  signed_by text not null,
  document text not null,
  created timestamptz not null,
  primary key (registry_id, changed_at)
);
select service.system_only('status_lists');
