-- Notifies `ledger_block` of the newest block of a statement that wrote some.
CREATE OR REPLACE FUNCTION block_indexed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('ledger_block', max(height)::text) FROM added HAVING count(*) > 0;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER block_indexed AFTER INSERT ON block REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION block_indexed();
