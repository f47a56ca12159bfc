-- A slug that was ever used stays its registry's. Those that were let go of come back to whoever had them last, but for those
-- that another registry has by now.
insert into service.registry_slugs (slug, registry_id, team_id)
  select distinct on (v.slug) v.slug, v.registry_id, v.team_id from service.trust_registry_versions v
  where v.state = 'active' order by v.slug, v.from_time desc, v.registry_id
on conflict (slug) do nothing;
