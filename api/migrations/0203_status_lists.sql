-- One signed list of each registry, its newest: what strangers ask about the past is signed for them and not kept.

-- Registries that were made without this service have lists too, when a DID of ours made them.
alter table service.status_lists drop constraint status_lists_registry_id_fkey;

delete from service.status_lists old using service.status_lists newer
where newer.registry_id = old.registry_id and newer.changed_at > old.changed_at;
