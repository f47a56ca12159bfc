module.exports = class Notices1795000000003 {
  name = 'Notices1795000000003'

  async up(db) {
    await db.query(`
      CREATE FUNCTION block_indexed() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_notify('ledger_block', max(height)::text) FROM added HAVING count(*) > 0;
        RETURN NULL;
      END $$`)
    await db.query(`
      CREATE TRIGGER block_indexed AFTER INSERT ON block REFERENCING NEW TABLE AS added
      FOR EACH STATEMENT EXECUTE FUNCTION block_indexed()`)
    await db.query(`
      CREATE FUNCTION head_final() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP = 'INSERT' OR NEW.height <> OLD.height THEN
          PERFORM pg_notify('ledger_final', NEW.height::text);
        END IF;
        RETURN NULL;
      END $$`)
    await db.query(`
      CREATE TRIGGER head_final AFTER INSERT OR UPDATE ON finality
      FOR EACH ROW EXECUTE FUNCTION head_final()`)
  }

  async down() {
    throw new Error('drop schema ledger and index again: everything in it comes from the chain')
  }
}
