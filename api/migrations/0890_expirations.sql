-- Things of a team that are over at some time, and the notices of them that web hooks got.

-- Invitations into trust registries that were made: their tokens hold all the rest.
create table service.participant_invitations (
  -- The nonce of the token.
  id text primary key,
  team_id bigint not null references service.teams on delete cascade,
  registry_id text not null,
  created timestamptz not null,
  expires timestamptz not null
);
select service.owned('participant_invitations');
create index participant_invitations_expires on service.participant_invitations (expires);
create index participant_invitations_team on service.participant_invitations (team_id, expires);

create index api_keys_expires on service.api_keys (expires) where revoked is null and not is_temporary;

-- One for each thing and end: an end that moves is told anew. Lists that fill up have no end of their own: infinity.
create table service.expiry_notices (
  kind text not null,
  id text not null,
  expires timestamptz not null,
  team_id bigint not null references service.teams on delete cascade,
  told timestamptz not null default now(),
  primary key (kind, id, expires)
);
select service.owned('expiry_notices');
create index expiry_notices_expires on service.expiry_notices (expires);
create index expiry_notices_team on service.expiry_notices (team_id);
