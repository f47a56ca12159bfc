-- An action that its owner signed names those that waited for that signature. `unversioned_hash` is of the calls of what waits
-- without the versions of registries, where they have any: its owner signs the version of then.
alter table service.ledger_actions
  add column answers text[],
  add column unversioned_hash text;
create index ledger_actions_unsigned on service.ledger_actions (did) where state = 'waiting';
