/** A migration that is these statements; its name ends with the milliseconds by which migrations are ordered. */
module.exports = (name, statements) =>
  class {
    name = name

    async up(db) {
      for (const statement of statements) await db.query(statement)
    }

    async down() {
      throw new Error('drop schema ledger and index again: everything in it comes from the chain')
    }
  }
