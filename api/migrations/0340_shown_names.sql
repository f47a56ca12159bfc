-- By what name people know a DID in a registry, and when: its profile, else what was said when it accepted, else what the
-- convener gave. It follows from those three whenever they change, so that participants are listed in the order of their names
-- and searched for in one place. A DID that only the ledger lists comes here when it has a profile and the follower saw it listed.
create table service.shown_names (
  registry_id text not null,
  did text not null,
  name text not null,
  searched text not null generated always as (lower(name)) stored,
  from_time timestamptz not null,
  to_time timestamptz
);
select service.public_read('shown_names', 'any');
create index shown_names_order on service.shown_names (registry_id, name collate "und-x-icu", did) include (from_time, to_time);
create index shown_names_did on service.shown_names (did, registry_id);
create index participant_names_did on service.participant_names (did) where state = 'active';

-- Where DIDs have names, or may have. The ledger's schema has another owner, who may have given no rights yet: its tables are not so much
-- as named before, and `and` gives no order.
create function service.places_of(dids text[]) returns table (registry_id text, did text) language plpgsql as $$
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
    union select s.registry_id, s.did from service.shown_names s where s.did = any(dids);
end $$;

-- Says anew how DIDs are called in registries; a registry of null stands for all that have the DID. Whoever changes the names of the
-- same DIDs goes first or after, and is seen.
create function service.name_again(registries text[], named text[]) returns void
language plpgsql set search_path = service, pg_temp as $$
begin
  perform pg_advisory_xact_lock(7302120, l.bucket)
    from (select distinct abs(hashtext(n.did) % 64) as bucket from unnest(named) as n (did) order by 1) l;
  select array_agg(p.registry_id), array_agg(p.did) into registries, named from (
    select u.registry_id, u.did from unnest(registries, named) as u (registry_id, did) where u.registry_id is not null
    union select e.registry_id, e.did from places_of(array(
      select u.did from unnest(registries, named) as u (registry_id, did) where u.registry_id is null)) e) p;
  delete from shown_names s using unnest(registries, named) as p (registry_id, did)
    where s.did = p.did and s.registry_id = p.registry_id;
  insert into shown_names (registry_id, did, name, from_time, to_time)
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

-- Whom a transaction named, until it ends: all of them are named anew together, as the last thing that it does. It waits for others who
-- name the same DIDs when nobody can have to wait for it but they.
create unlogged table service.names_due (registries text[] not null, dids text[] not null);
select service.public_read('names_due', 'any');

-- Whether nobody was named in this transaction since all were named anew.
create function service.is_first_due() returns boolean language plpgsql as $$
begin
  if current_setting('accredit.names_are_due', true) = 'yes' then
    return false;
  end if;
  perform set_config('accredit.names_are_due', 'yes', true);
  return true;
end $$;

create function service.name_all_due() returns trigger language plpgsql as $$
declare
  registries text[];
  named text[];
begin
  perform set_config('accredit.names_are_due', 'no', true);
  with due as (delete from service.names_due returning *)
    select array_agg(u.registry_id), array_agg(u.did) into registries, named
    from due cross join lateral unnest(due.registries, due.dids) as u (registry_id, did);
  if named is not null then
    perform service.name_again(registries, named);
  end if;
  return null;
end $$;
create constraint trigger name_all_due after insert on service.names_due deferrable initially deferred
  for each row when (service.is_first_due()) execute function service.name_all_due();

create function service.named_in_registry() returns trigger language plpgsql as $$
begin
  insert into service.names_due
    select array_agg(c.registry_id), array_agg(c.did) from changed c where c.state = 'active' having count(*) > 0;
  return null;
end $$;

-- A profile is for every registry that has the DID.
create function service.named_everywhere() returns trigger language plpgsql as $$
begin
  insert into service.names_due
    select array_agg(null::text), array_agg(c.did) from (select distinct did from changed) c having count(*) > 0;
  return null;
end $$;

do $$
declare
  source record;
  event text;
begin
  for source in select * from (values ('participants', 'named_in_registry'), ('participant_names', 'named_in_registry'),
    ('profiles', 'named_everywhere')) as s (name, effect) loop
    foreach event in array array['insert', 'update', 'delete'] loop
      execute format('create trigger named_after_%s after %s on service.%I referencing %s table as changed
        for each statement execute function service.%I()',
        event, event, source.name, case event when 'delete' then 'old' else 'new' end, source.effect);
    end loop;
  end loop;
end $$;

-- Those that have names already; and slugs of registries that were removed before a removal let go of them.
do $$
declare
  pairs text := 'select registry_id, did from service.participants where state = ''active''
    union select registry_id, did from service.participant_names where state = ''active''';
begin
  if (select count(*) from pg_class t join pg_namespace n on n.oid = t.relnamespace
    where n.nspname = 'ledger' and t.relname in ('issuer', 'verifier', 'trust_registry', 'finality')
      and has_schema_privilege(n.oid, 'usage') and has_table_privilege(t.oid, 'select')) = 4 then
    pairs := pairs || ' union select l.registry_id, l.did from (select registry_id, did from ledger.issuer
      union select registry_id, did from ledger.verifier) l where exists (select from service.profiles p where p.did = l.did)';
    delete from service.registry_slugs where registry_id in (
      select r.registry_id from ledger.trust_registry r group by r.registry_id
      having bool_and(coalesce(r.to_block <= (select max(f.height) from ledger.finality f), false)));
  end if;
  execute format('select service.name_again(array_agg(registry_id), array_agg(did)) from (%s) p having count(*) > 0', pairs);
end $$;
