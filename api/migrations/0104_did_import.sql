-- A DID that one team forgot may be imported by another.

-- Makes place for it: what is left of a DID that was forgotten or refused. Its keys are of no use any more.
create function service.drop_forgotten_did(wanted text) returns void
language plpgsql security definer set search_path = service, pg_temp as $$
declare
  scope text := current_setting('accredit.scope', true);
begin
  perform set_config('accredit.scope', 'system', true);
  delete from service.dids where did = wanted and status in ('deleted', 'failed');
  perform set_config('accredit.scope', coalesce(scope, ''), true);
end $$;
