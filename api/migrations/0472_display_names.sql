-- Gives the names by which people know DIDs the term for them: display names. The functions do what they did before.
alter table service.shown_names rename to display_names;
alter index service.shown_names_order rename to display_names_order;
alter index service.shown_names_did rename to display_names_did;

-- Returns the registries in which DIDs have names, or may have. A ledger schema that gave this role no rights yet counts as absent.
create or replace function service.places_of(dids text[]) returns table (registry_id text, did text) language plpgsql as $$
begin
  if cardinality(dids) = 0 then
    return;
  end if;
  if has_schema_privilege(to_regnamespace('ledger'), 'usage') then
    if has_table_privilege(to_regclass('ledger.listing'), 'select') then
      return query select distinct l.registry_id, l.did from ledger.listing l where l.part = 'any' and l.did = any(dids);
    end if;
  end if;
  return query
    select a.registry_id, a.did from service.participants a where a.did = any(dids) and a.state = 'active'
    union select g.registry_id, g.did from service.participant_names g where g.did = any(dids) and g.state = 'active'
    union select n.registry_id, n.did from service.display_names n where n.did = any(dids);
end $$;

-- Writes anew the names of DIDs in registries; a registry of null stands for all registries that have the DID. Transactions that
-- change names of the same DIDs take turns by a lock.
create function service.refresh_display_names(registries text[], named text[]) returns void
language plpgsql set search_path = service, pg_temp as $$
begin
  perform pg_advisory_xact_lock(7302120, l.bucket)
    from (select distinct abs(hashtext(n.did) % 64) as bucket from unnest(named) as n (did) order by 1) l;
  select array_agg(p.registry_id), array_agg(p.did) into registries, named from (
    select u.registry_id, u.did from unnest(registries, named) as u (registry_id, did) where u.registry_id is not null
    union select e.registry_id, e.did from places_of(array(
      select u.did from unnest(registries, named) as u (registry_id, did) where u.registry_id is null)) e) p;
  delete from display_names d using unnest(registries, named) as p (registry_id, did)
    where d.did = p.did and d.registry_id = p.registry_id;
  insert into display_names (registry_id, did, name, from_time, to_time)
    with moment as (
      select p.registry_id, p.did, t.at from unnest(registries, named) as p (registry_id, did) cross join lateral (
        select e.at from profiles o cross join lateral (values (o.valid_from), (o.valid_to)) e (at) where o.did = p.did
        union select e.at from participants a cross join lateral (values (a.from_time), (a.to_time)) e (at)
          where a.registry_id = p.registry_id and a.did = p.did and a.state = 'active'
        union select g.from_time from participant_names g
          where g.registry_id = p.registry_id and g.did = p.did and g.state = 'active') t
      where t.at is not null
    ), span as (
      select m.*, lead(m.at) over (partition by m.registry_id, m.did order by m.at) as until from moment m
    ), called as (
      select s.*, coalesce(
        (select o.name from profiles_at(array[s.did], s.at) o),
        (select a.name from participants a where a.registry_id = s.registry_id and a.did = s.did and a.state = 'active'
          and a.from_time <= s.at and (a.to_time is null or a.to_time > s.at) limit 1),
        (select g.name from participant_names g where g.registry_id = s.registry_id and g.did = s.did and g.state = 'active'
          and g.from_time <= s.at order by g.from_time desc, g.row_id desc limit 1)) as name
      from span s
    )
    select c.registry_id, c.did, c.name, c.at, c.until from called c where c.name is not null;
end $$;

create or replace function service.name_all_due() returns trigger language plpgsql as $$
declare
  registries text[];
  named text[];
begin
  perform set_config('accredit.names_are_due', 'no', true);
  with due as (delete from service.names_due returning *)
    select array_agg(u.registry_id), array_agg(u.did) into registries, named
    from due cross join lateral unnest(due.registries, due.dids) as u (registry_id, did);
  if named is not null then
    perform service.refresh_display_names(registries, named);
  end if;
  return null;
end $$;

drop function service.name_again(text[], text[]);
