-- Where versions of registries were filled in when an action was prepared: those, and the hash of its calls without them. The same
-- request finds it by that hash when it comes back signed, whatever the versions are by then.
alter table service.prepared_actions
  add column wish_hash text,
  add column versions jsonb,
  add check ((wish_hash is null) = (versions is null));
create index prepared_actions_wish on service.prepared_actions (team_id, did, wish_hash, id) where wish_hash is not null;
