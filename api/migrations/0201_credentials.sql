-- Credentials that were issued: what can be listed and revoked. The credential itself is kept only when its issuer asked for that, sealed.

create table service.credentials (
  n bigint generated always as identity primary key,
  team_id bigint not null,
  -- A URI; the caller's own may repeat.
  id text not null,
  -- The issuer's DID. What is answered unsigned, since it names none, is not kept.
  issuer text not null,
  -- <did>#<key>
  issuer_key text not null,
  issuer_name text,
  type text not null,
  subject_ref text not null default '',
  algorithm text not null,
  registry_id text,
  status_index int,
  issuance_date timestamptz not null,
  expiration_date timestamptz,
  byte_size int not null,
  template uuid,
  -- The credential under a key derived from the issuer's password; null when it was not persisted.
  sealed bytea,
  created timestamptz not null,
  check ((registry_id is null) = (status_index is null))
);
select service.owned('credentials');
create unique index credentials_newest on service.credentials (team_id, n desc);
create index credentials_id on service.credentials (team_id, id);
create index credentials_issuer on service.credentials (team_id, issuer);
-- The public view looks a persisted credential up by its address.
create index credentials_persisted on service.credentials (id) where sealed is not null;
