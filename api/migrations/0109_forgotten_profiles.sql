-- Who takes a DID that another team forgot is asked for its name: the one that the other team gave it holds no longer, and only its past
-- stays. One row at most holds now.
drop function service.drop_forgotten_did(text);
create function service.drop_forgotten_did(wanted text, instant timestamptz) returns void
language plpgsql security definer set search_path = service, pg_temp as $$
declare
  scope text := current_setting('accredit.scope', true);
begin
  perform set_config('accredit.scope', 'system', true);
  delete from service.dids where did = wanted and status in ('deleted', 'failed');
  update service.profiles set valid_to = greatest(valid_from, instant)
    where did = wanted and valid_to is null and team_id <> all(service.current_teams())
      and not exists (select from service.dids where did = wanted);
  perform set_config('accredit.scope', coalesce(scope, ''), true);
end $$;
