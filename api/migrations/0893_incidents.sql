-- The health of the parts of the service as the worker last saw it, and what was not well, for the page at /status.

create table service.health_checks (
  component text primary key,
  is_well boolean not null,
  checked timestamptz not null
);
call service.protect('health_checks');
create policy anyone_reads on service.health_checks for select using (true);
create table service.incidents (
  id bigint generated always as identity primary key,
  component text not null,
  began timestamptz not null,
  -- Null while it goes on.
  ended timestamptz
);
call service.protect('incidents');
create policy anyone_reads on service.incidents for select using (true);
create index incidents_began on service.incidents (began);
create unique index incidents_open on service.incidents (component) where ended is null;
