-- What has the form of an id is one: a registry whose name had it answered for the registry of that id.
do $$
declare
  impostor record;
  candidate text;
begin
  for impostor in
    select slug, registry_id, team_id from service.registry_slugs where slug ~ '^(0x)?[0-9a-f]{64}$' order by slug
  loop
    candidate := impostor.slug || '-' || substr(impostor.registry_id, 3, 6);
    if exists (select from service.registry_slugs s where s.slug = candidate and s.registry_id <> impostor.registry_id) then
      candidate := impostor.slug || '-' || substr(impostor.registry_id, 3);
    end if;
    insert into service.registry_slugs (slug, registry_id, team_id)
      values (candidate, impostor.registry_id, impostor.team_id) on conflict (slug) do nothing;
    update service.trust_registry_versions set slug = candidate
      where slug = impostor.slug and registry_id = impostor.registry_id;
  end loop;
end $$;
delete from service.registry_slugs where slug ~ '^(0x)?[0-9a-f]{64}$';
-- Versions of the past whose slug was let go of, and is nobody's.
update service.trust_registry_versions set slug = slug || '-' || substr(registry_id, 3) where slug ~ '^(0x)?[0-9a-f]{64}$';

alter table service.registry_slugs add check (slug !~ '^(0x)?[0-9a-f]{64}$');
alter table service.trust_registry_versions add check (slug !~ '^(0x)?[0-9a-f]{64}$');
