-- Refreshes the listing of those whose rights a statement changed.
CREATE OR REPLACE FUNCTION list_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  path text := current_setting('search_path');
BEGIN
  PERFORM set_config('search_path', quote_ident(TG_TABLE_SCHEMA) || ', pg_temp', true);
  PERFORM refresh_listing(array_agg(c.registry_id), array_agg(c.did)) FROM (SELECT DISTINCT registry_id, did FROM changed) c;
  PERFORM set_config('search_path', path, true);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER listed_insert AFTER INSERT ON issuer
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION list_changed();

CREATE OR REPLACE TRIGGER listed_update AFTER UPDATE ON issuer
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION list_changed();

CREATE OR REPLACE TRIGGER listed_delete AFTER DELETE ON issuer
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION list_changed();

CREATE OR REPLACE TRIGGER listed_insert AFTER INSERT ON verifier
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION list_changed();

CREATE OR REPLACE TRIGGER listed_update AFTER UPDATE ON verifier
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION list_changed();

CREATE OR REPLACE TRIGGER listed_delete AFTER DELETE ON verifier
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION list_changed();
