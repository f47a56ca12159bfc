-- Schemas of credentials, hosted for everybody.

create table service.schemas (
  -- The address of the document.
  id text primary key,
  n bigint generated always as identity,
  -- What the ledger calls it: blake2b-256 of the address.
  hash text not null unique check (hash ~ '^0x[0-9a-f]{64}$'),
  -- <Name>-V<version>-<ms>: what both hosted documents are called.
  file text not null unique,
  team_id bigint not null,
  owner_name text not null,
  name text not null,
  type_name text not null,
  version int not null,
  milliseconds bigint not null,
  -- Kept as written: the order of members is the author's.
  document json not null,
  context_url text not null,
  context json not null,
  created timestamptz not null,
  -- A deleted schema leaves all lists; its documents stay where issued credentials look for them.
  deleted timestamptz
);
select service.public_read('schemas');
create unique index schemas_team on service.schemas (team_id, n);
create unique index schemas_type on service.schemas (type_name, milliseconds);
