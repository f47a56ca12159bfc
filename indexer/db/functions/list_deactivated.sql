-- Refreshes the listing of those whose DID was deactivated, or whose deactivation was taken back.
CREATE OR REPLACE FUNCTION list_deactivated() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  path text := current_setting('search_path');
  registries text[];
  dids text[];
BEGIN
  PERFORM set_config('search_path', quote_ident(TG_TABLE_SCHEMA) || ', pg_temp', true);
  SELECT array_agg(l.registry_id), array_agg(l.did) INTO registries, dids FROM (
    SELECT DISTINCT l.registry_id, l.did FROM changed c JOIN listing l ON l.did = c.did
    WHERE c.to_block IS NOT NULL OR l.active_to IS DISTINCT FROM l.to_block) l;
  -- Most DIDs that change are listed nowhere, and planning takes longer than all the rest.
  IF registries IS NOT NULL THEN
    PERFORM refresh_listing(registries, dids);
  END IF;
  PERFORM set_config('search_path', path, true);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER listed_insert AFTER INSERT ON did
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION list_deactivated();

CREATE OR REPLACE TRIGGER listed_update AFTER UPDATE ON did
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION list_deactivated();

CREATE OR REPLACE TRIGGER listed_delete AFTER DELETE ON did
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION list_deactivated();
