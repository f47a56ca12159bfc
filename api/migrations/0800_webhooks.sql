-- Web hooks: receivers of a team, and the deliveries of events to them.

create table service.webhooks (
  id text primary key check (id ~ '^[0-9]{1,64}$'),
  team_id bigint not null references service.teams on delete cascade,
  url text not null,
  description text not null,
  status smallint not null check (status in (0, 1)),
  events text[] not null,
  personal_data boolean not null,
  -- The token of the body and the keys that sign, sealed under a key derived from the service key.
  sealed bytea not null,
  created timestamptz not null,
  -- The first failure since the last success.
  failing_since timestamptz,
  -- The reason for which the service disabled it.
  disabled_reason text
);
select service.owned('webhooks');
create index webhooks_team on service.webhooks (team_id, created);

-- resource: a keyed hash of the id of the thing that the event is about; null: of none, and bound to no order.
-- webhook_id: the one web hook that is told; null: all of the team that want it.
alter table service.outgoing_events add column resource bytea;
alter table service.outgoing_events add column webhook_id text;
create index outgoing_events_resource on service.outgoing_events (team_id, resource) where resource is not null;

create table service.webhook_deliveries (
  id bigint generated always as identity primary key,
  message text not null default 'msg_' || replace(gen_random_uuid()::text, '-', '') unique,
  team_id bigint not null,
  webhook_id text not null references service.webhooks on delete cascade,
  event_id bigint not null references service.outgoing_events on delete cascade,
  event text not null,
  resource bytea,
  state text not null default 'waiting' check (state in ('waiting', 'delivered', 'dead')),
  -- A replay is outside the order of its resource.
  is_replay boolean not null default false,
  -- While it waits: when it is tried. In the future also while somebody tries it; infinity: after another one of its resource.
  due timestamptz not null default '-infinity',
  -- Counts the leases; a result of an earlier one changes nothing.
  attempt int not null default 0,
  -- Tries since it began to wait, which decide when the next one is.
  tries int not null default 0,
  -- After it there is no further try; null before the first one.
  give_up timestamptz,
  -- The last tries: [{ at, status, error, ms }].
  log jsonb not null default '[]',
  created timestamptz not null default now()
);
select service.owned('webhook_deliveries');
create index webhook_deliveries_due on service.webhook_deliveries (webhook_id, due, id) where state = 'waiting';
create index webhook_deliveries_next on service.webhook_deliveries (due) where state = 'waiting';
create index webhook_deliveries_order on service.webhook_deliveries (webhook_id, resource, id) where state = 'waiting' and not is_replay;
create index webhook_deliveries_listed on service.webhook_deliveries (webhook_id, id);
create index webhook_deliveries_event on service.webhook_deliveries (event_id);

-- Each event gets its deliveries in the transaction that stores it.
create function service.deliver_events() returns trigger language plpgsql as $$
begin
  insert into service.webhook_deliveries (team_id, webhook_id, event_id, event, resource)
    select c.team_id, w.id, c.id, c.event, c.resource
    from changed c join service.webhooks w on w.team_id = c.team_id
    where w.status = 1 and case when c.webhook_id is null then c.event = any(w.events) else c.webhook_id = w.id end
    order by c.id, w.id;
  return null;
end $$;
create trigger events_to_deliver after insert on service.outgoing_events referencing new table as changed
  for each statement execute function service.deliver_events();
