-- Status lists that wallets chose the ids and places of: a DID of the service makes and signs them, and the rights of the DID that
-- asked for one are a rule of the service.
create table service.delegatable_registries (
  registry_id text primary key references service.revocation_registries on delete cascade,
  team_id bigint not null,
  owner text not null,
  created timestamptz not null
);
select service.public_read('delegatable_registries');
create index delegatable_registries_owner on service.delegatable_registries (owner);
create index delegatable_registries_team on service.delegatable_registries (team_id);

-- What wallets signed is good for one request: a digest of each stays until it has expired.
create table service.wallet_tokens (
  digest bytea primary key,
  expires timestamptz not null
);
select service.public_read('wallet_tokens', 'any');
create index wallet_tokens_expires on service.wallet_tokens (expires);
