-- The trace that a request belongs to, as a W3C traceparent, for the processes that go on with its work. Null where nothing is traced.

alter table service.jobs add column trace text;
alter table service.outgoing_events add column trace text;
