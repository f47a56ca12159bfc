-- DIDs whose keys the service holds, as they will be once the ledger has caught up.

create table service.dids (
  did text primary key,
  n bigint generated always as identity,
  team_id bigint not null,
  type text not null check (type in ('ledgerA', 'key')),
  -- pending: its creation is not final; failed: the ledger refused it; deleting: its deactivation is not final.
  status text not null check (status in ('pending', 'active', 'failed', 'deleting', 'deleted')),
  -- Controllers beside the DID itself.
  controllers text[] not null default '{}',
  services jsonb not null default '[]',
  -- The job that created it; null for what needed none.
  job_id text,
  -- Jobs that change it and have not ended: while there are any, this row is ahead of the ledger.
  open_jobs text[] not null default '{}',
  created timestamptz not null,
  updated timestamptz not null
);
select service.owned('dids');
create unique index dids_team on service.dids (team_id, n);

create table service.did_keys (
  did text not null references service.dids on delete cascade,
  team_id bigint not null,
  key_id int not null,
  kind text not null check (kind in ('Ed25519', 'Bls12381G2', 'X25519')),
  public_key text not null check (public_key ~ '^0x([0-9a-f]{2})+$'),
  key_ref text not null unique,
  relationships int not null,
  -- pending: will stand on the ledger; retiring: will be retired there; failed: the ledger refused it.
  state text not null check (state in ('pending', 'active', 'retiring', 'retired', 'failed')),
  -- When the signer forgot the private key.
  destroyed timestamptz,
  primary key (did, public_key)
);
select service.owned('did_keys');
create index did_keys_due on service.did_keys (key_ref) where state in ('retired', 'failed') and destroyed is null;
