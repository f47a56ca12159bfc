-- What the service knows about ecosystems beside the ledger: names in full, governance text, who accepted which invitation.
-- Rights, standing and the convener are the ledger's. Rows are versioned by time, so that a page can be shown as it was.

-- team_id: who created it. The owner is the team that holds the present convener, as the index tells.
create table service.trust_registries (
  registry_id text primary key check (registry_id ~ '^0x[0-9a-f]{64}$'),
  team_id bigint not null,
  convener text not null,
  state text not null check (state in ('pending', 'active', 'failed')),
  job_id text not null,
  created timestamptz not null
);
select service.public_read('trust_registries');
create index trust_registries_team on service.trust_registries (team_id, created desc);

-- A version is shown from from_time on: the time of its block, or of its request when it changed nothing on the ledger.
create table service.trust_registry_versions (
  registry_id text not null references service.trust_registries on delete cascade,
  version int not null,
  team_id bigint not null,
  name text not null,
  slug text not null,
  description text not null,
  logo_url text not null,
  ecosystem_url text not null,
  governance_framework text not null,
  governance_framework_version text not null,
  governance_reference text not null,
  state text not null check (state in ('pending', 'active', 'failed')),
  job_id text,
  from_time timestamptz check (state <> 'active' or from_time is not null),
  primary key (registry_id, version)
);
select service.public_read('trust_registry_versions');
create index trust_registry_versions_reference on service.trust_registry_versions (registry_id, governance_reference);

-- One owner per slug; a renamed registry holds the old one until the new name is on the ledger.
create table service.registry_slugs (
  slug text primary key,
  registry_id text not null,
  team_id bigint not null
);
select service.public_read('registry_slugs');
create index registry_slugs_registry on service.registry_slugs (registry_id);

-- The id of a participant follows from registry and DID: it is the same after leaving and coming back, and those who are
-- listed only on the ledger have one too.
create function service.participant_id(registry_id text, did text) returns uuid language sql immutable strict parallel safe as $$
  select overlay(overlay(left(digest, 32) placing '8' from 13) placing 'a' from 17)::uuid
  from encode(sha256(convert_to(registry_id || '/' || did, 'UTF8')), 'hex') as digest
$$;

-- Who accepted an invitation. A change of what is shown closes the row and opens another.
create table service.participants (
  row_id bigint generated always as identity primary key,
  id uuid not null generated always as (service.participant_id(registry_id, did)) stored,
  registry_id text not null,
  did text not null,
  team_id bigint not null,
  name text not null,
  description text not null,
  logo_url text not null,
  info_url text not null,
  -- Set by the convener on a participant without any right; written to the ledger together with its first right.
  suspended_since timestamptz,
  created timestamptz not null,
  state text not null check (state in ('pending', 'active', 'failed')),
  job_id text,
  from_time timestamptz check (state <> 'active' or from_time is not null),
  to_time timestamptz
);
select service.public_read('participants');
create unique index participants_open on service.participants (registry_id, did) where to_time is null and state <> 'failed';
create index participants_past on service.participants (registry_id, did, from_time);
create index participants_id on service.participants (id);
create index participants_did on service.participants (did);
create index participants_team on service.participants (team_id, registry_id) where to_time is null and state = 'active';
create index participants_job on service.participants (job_id) where state = 'pending';

-- Tokens that cannot be used again. The key is the token's nonce.
create table service.invitation_uses (
  nonce text primary key,
  registry_id text not null,
  team_id bigint not null,
  use text not null check (use in ('accepted', 'declined')),
  job_id text,
  created timestamptz not null
);
select service.owned('invitation_uses');
create index invitation_uses_job on service.invitation_uses (job_id);

-- The ledger knows schemas by the hash of their URI only; these are the URIs that were named here.
create table service.schema_uris (
  hash text primary key check (hash ~ '^0x[0-9a-f]{64}$'),
  uri text not null
);
select service.public_read('schema_uris', 'any');

-- The ecosystems that a DID takes part in, for lists of DIDs.
create view service.did_trust_registries with (security_invoker = true) as
  select p.did, p.registry_id, v.name, v.logo_url
  from service.participants p
  cross join lateral (
    select name, logo_url from service.trust_registry_versions
    where registry_id = p.registry_id and state = 'active' order by version desc limit 1
  ) v
  where p.state = 'active' and p.to_time is null;
