-- A DID that moved to another team acts there on the registries whose policy holds it, as the ledger lets it.

-- Each team that had a DID has an issuing registry of its own for it: places are booked by who issues.
drop index service.revocation_registries_issuing;
create unique index revocation_registries_issuing on service.revocation_registries (team_id, creator, type) where issuing;
-- Which lists a DID may have to sign before it ends.
create index revocation_registries_policy on service.revocation_registries using gin (policy);

-- Row-level security shows a tenant the DIDs of its own teams only.
create policy policy_writes on service.revocation_registries for update using (exists (
  select from service.dids d where d.did = any(revocation_registries.policy) and d.status in ('pending', 'active')));
create policy policy_writes on service.status_entries for update using (exists (
  select from service.revocation_registries r join service.dids d on d.did = any(r.policy)
  where r.id = status_entries.registry_id and d.status in ('pending', 'active')));
