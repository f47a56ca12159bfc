-- What waits for delivery may hold whole credentials: it is sealed under a key derived from the service key, which is not here.
-- Nothing was delivered from this table yet, and what it held cannot be sealed in SQL.
delete from service.outgoing_events;
alter table service.outgoing_events drop column data;
alter table service.outgoing_events add column sealed bytea not null;
create index outgoing_events_created on service.outgoing_events (created);
