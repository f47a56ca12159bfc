-- A key for MACs outlives its DID, also where another team takes the DID over: nothing else checks what it made. It makes no
-- more, and the DID may get another one.
alter table service.mac_keys drop constraint mac_keys_pkey, drop constraint mac_keys_did_fkey, drop constraint mac_keys_key_ref_key,
  add primary key (key_ref), add column retired timestamptz;
create unique index mac_keys_in_use on service.mac_keys (did) where retired is null;
create index mac_keys_of_did on service.mac_keys (did);

create or replace function service.drop_forgotten_did(wanted text, instant timestamptz) returns void
language plpgsql security definer set search_path = service, pg_temp as $$
declare
  scope text := current_setting('accredit.scope', true);
begin
  perform set_config('accredit.scope', 'system', true);
  delete from service.dids where did = wanted and status in ('deleted', 'failed');
  update service.profiles set valid_to = greatest(valid_from, instant)
    where did = wanted and valid_to is null and team_id <> all(service.current_teams())
      and not exists (select from service.dids where did = wanted);
  update service.mac_keys set retired = instant
    where did = wanted and retired is null and not exists (select from service.dids where did = wanted);
  perform set_config('accredit.scope', coalesce(scope, ''), true);
end $$;
