-- Notifies `ledger_final` of the final head, when it moves.
CREATE OR REPLACE FUNCTION head_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' OR NEW.height <> OLD.height THEN
    PERFORM pg_notify('ledger_final', NEW.height::text);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER head_final AFTER INSERT OR UPDATE ON finality
  FOR EACH ROW EXECUTE FUNCTION head_final();
