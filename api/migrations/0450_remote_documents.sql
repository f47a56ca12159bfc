-- Schemas and contexts that stand elsewhere, as each team had them when it first needed them: what it issued with them stays what
-- it was, whatever stands at the address later.

create table service.remote_documents (
  n bigint generated always as identity,
  team_id bigint not null,
  kind text not null check (kind in ('schema', 'context')),
  url text not null,
  -- SHA-256 of what was fetched.
  digest bytea not null check (length(digest) = 32),
  -- Kept as written.
  document text not null,
  fetched timestamptz not null,
  -- Whether the team issued with it; what was needed to verify something alone may go.
  is_issued boolean not null,
  primary key (team_id, kind, url)
);
select service.owned('remote_documents');
create index remote_documents_newest on service.remote_documents (team_id, is_issued, n desc);
