-- What is chosen when a registry of a list is made, and the ledger does not know: its purpose, how long a reader may keep its
-- list, and what its bits say where they are messages. Registries made before are for revocation.

alter table service.revocation_registries
  add column purpose text not null default 'revocation' check (purpose in ('revocation', 'suspension', 'message')),
  add column ttl_seconds int not null default 300 check (ttl_seconds between 1 and 86400),
  -- The texts of 0 and 1.
  add column messages text[] check (cardinality(messages) = 2);

-- One list may be published in several forms, each with its own signature.
alter table service.status_lists
  add column form text not null default 'StatusList2021Entry',
  drop constraint status_lists_pkey;
alter table service.status_lists
  add primary key (registry_id, form, changed_at),
  alter column form drop default;
