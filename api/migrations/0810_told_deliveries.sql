-- Wakes the worker when some delivery can be tried: events of teams without a web hook wake nobody.
create function service.tell_of_deliveries(channel text) returns void
language plpgsql security definer set search_path = service, pg_temp as $$
declare
  scope text := current_setting('accredit.scope', true);
begin
  perform set_config('accredit.scope', 'system', true);
  perform pg_notify(channel, '') where exists (
    select from service.webhook_deliveries where state = 'waiting' and due <= now());
  perform set_config('accredit.scope', coalesce(scope, ''), true);
end $$;
