-- Addresses of logos, and what this service fetched from those on other hosts: pages show these copies, since another host would learn who
-- reads. logo: the hash of the copy's bytes; null while none could be had. tried: when it was last fetched; null: not yet.
create table service.logo_copies (
  url text primary key,
  team_id bigint not null,
  logo text check (logo ~ '^[0-9a-f]{64}$'),
  tried timestamptz
);
select service.public_read('logo_copies', 'any');
create index logo_copies_tried on service.logo_copies (tried nulls first);

-- Every address that is kept; which of them are this installation's own, and not fetched, the service knows, not the database.
create function service.copy_logos() returns trigger language plpgsql as $$
begin
  insert into service.logo_copies (url, team_id)
    select c.logo_url, min(c.team_id) from changed c
    where c.logo_url ~ '^https://' group by c.logo_url order by c.logo_url
    on conflict do nothing;
  return null;
end $$;

do $$
declare
  source text;
begin
  foreach source in array array['profiles', 'participant_names', 'trust_registry_versions'] loop
    execute format('create trigger logos_to_copy after insert on service.%I referencing new table as changed
      for each statement execute function service.copy_logos()', source);
    execute format('insert into service.logo_copies (url, team_id)
      select logo_url, min(team_id) from service.%I where logo_url ~ ''^https://'' group by logo_url
      on conflict do nothing', source);
  end loop;
end $$;
