-- Names and logos of DIDs. They are public facts: they stand in credentials and in registries, now and at any past instant.

create table service.profiles (
  id bigint generated always as identity primary key,
  did text not null,
  team_id bigint not null,
  name text not null,
  description text not null default '',
  -- An absolute URL, or empty.
  logo_url text not null default '',
  -- When the profile was made; the same in all its versions.
  created timestamptz not null,
  valid_from timestamptz not null,
  -- Null: this version holds now.
  valid_to timestamptz
);
select service.public_read('profiles');
create unique index profiles_present on service.profiles (did) where valid_to is null;
create index profiles_past on service.profiles (did, valid_from);
create index profiles_team on service.profiles (team_id, created desc) where valid_to is null;

-- The names that DIDs had at an instant; DIDs without one are left out.
create function service.profiles_at(dids text[], instant timestamptz)
returns table (did text, name text, description text, logo_url text) language sql stable as $$
  select distinct on (p.did) p.did, p.name, p.description, p.logo_url
  from service.profiles p
  where p.did = any(dids) and p.valid_from <= instant and (p.valid_to is null or p.valid_to > instant)
  order by p.did, p.valid_from desc
$$;

-- Images by the hash of their bytes.
create table service.logos (
  sha256 text primary key check (sha256 ~ '^[0-9a-f]{64}$'),
  media_type text not null check (media_type in ('image/png', 'image/jpeg', 'image/bmp')),
  bytes bytea not null check (length(bytes) <= 1048576),
  created timestamptz not null
);
select service.public_read('logos', 'any');
