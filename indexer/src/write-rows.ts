import { EntityManager, InsertResult, type ObjectLiteral } from 'typeorm'

const CONFLICT = 'id'

/**
 * Makes the library write the rows of a statement as one parameter, a JSON text. By itself it would make a parameter of
 * each value, and a statement with thousands of them takes longer to build and to parse than to run.
 */
export function writeRowsAsJson(): void {
  EntityManager.prototype.insert = async function (target, rows) {
    const { text, parameter } = insertion(this, target, rows)
    await this.query(text, [parameter])
    return new InsertResult()
  }
  EntityManager.prototype.upsert = async function (target, rows) {
    const { text, parameter, columns } = insertion(this, target, rows)
    const changes = columns.filter((name) => name !== CONFLICT).map((name) => `"${name}" = excluded."${name}"`)
    await this.query(`${text} ON CONFLICT ("${CONFLICT}") DO UPDATE SET ${changes.join(', ')}`, [parameter])
    return new InsertResult()
  }
}

interface Insertion {
  text: string
  parameter: string
  columns: string[]
}

/** A column that no row has a value for is left out: it has its default. */
function insertion(
  { connection }: EntityManager,
  target: Parameters<EntityManager['insert']>[0],
  some: ObjectLiteral | readonly ObjectLiteral[],
): Insertion {
  const { tableName, columns: all } = connection.getMetadata(target)
  const rows: readonly ObjectLiteral[] = Array.isArray(some) ? some : [some]
  const columns = all.filter(({ propertyName }) => rows.some((row) => row[propertyName] !== undefined))
  const names = columns.map(({ databaseName }) => databaseName)
  const list = names.map((name) => `"${name}"`).join(', ')
  const values = rows.map((row) => {
    const value: ObjectLiteral = {}
    // A null is left out, too: that is less to parse.
    for (const { databaseName, propertyName } of columns) value[databaseName] = row[propertyName] ?? undefined
    return value
  })
  const text = `INSERT INTO "${tableName}" (${list}) SELECT ${list} FROM json_populate_recordset(NULL::"${tableName}", $1)`
  return { text, parameter: JSON.stringify(values), columns: names }
}
