-- Notifies `ledger_final` of the newest block that is final and indexed, when it moves.
CREATE OR REPLACE FUNCTION head_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' OR NEW.settled_height IS DISTINCT FROM OLD.settled_height THEN
    PERFORM pg_notify('ledger_final', NEW.settled_height::text);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER head_final AFTER INSERT OR UPDATE ON finality
  FOR EACH ROW EXECUTE FUNCTION head_final();
