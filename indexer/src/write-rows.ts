import { type DataSource, EntityManager, type EntityMetadata, InsertResult, type ObjectLiteral } from 'typeorm'

type Column = EntityMetadata['columns'][number]

const CONFLICT = 'id'

/**
 * Makes the library write the rows of a statement as one parameter a column, a list of its values. By itself it would
 * make a parameter of each value, and a statement with thousands of them takes longer to build and to parse than to run.
 */
export function writeRowsAsLists(): void {
  EntityManager.prototype.insert = async function (target, rows) {
    const { text, parameters } = insertion(this, target, rows)
    await this.query(text, parameters)
    return new InsertResult()
  }
  EntityManager.prototype.upsert = async function (target, rows) {
    const { text, parameters, columns } = insertion(this, target, rows)
    const changes = columns.filter((name) => name !== CONFLICT).map((name) => `"${name}" = excluded."${name}"`)
    await this.query(`${text} ON CONFLICT ("${CONFLICT}") DO UPDATE SET ${changes.join(', ')}`, parameters)
    return new InsertResult()
  }
}

interface Insertion {
  text: string
  parameters: string[]
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
  const used = all.filter(({ propertyName }) => rows.some((row) => row[propertyName] !== undefined))
  const columns = used.map(({ databaseName }) => databaseName)
  const names = columns.map((name) => `"${name}"`).join(', ')
  const typed = used.map((column) => `"${column.databaseName}"::${typeOf(connection, column)}`).join(', ')
  const lists = used
    .map((column, index) => `$${index + 1}::${isText(column) ? 'text' : typeOf(connection, column)}[]`)
    .join(', ')
  const parameters = used.map((column) => listOf(rows.map((row) => listed(row[column.propertyName], column))))
  const text = `INSERT INTO "${tableName}" (${names}) SELECT ${typed} FROM unnest(${lists}) AS told (${names})`
  return { text, parameters, columns }
}

const isText = ({ type, isArray }: Column): boolean => isArray || type === 'jsonb'

const typeOf = ({ driver }: DataSource, column: Column): string =>
  `${driver.normalizeType(column)}${column.isArray ? '[]' : ''}`

/** The values of a list of lists would be told one by one: each of these lists is a text at first, and so is JSON. */
function listed(value: unknown, { type, isArray }: Column): unknown {
  if (value === null || value === undefined) return null
  if (isArray && Array.isArray(value)) return listOf(value)
  return type === 'jsonb' ? JSON.stringify(value) : value
}

const CONTROL = /\\[bfnrtu]/
const ESCAPES = /\\(?:u[0-9a-f]{4}|.)/g

/**
 * Returns a list as Postgres reads it (https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO): as in JSON, but
 * for the brackets, and for control characters, which stand as they are.
 */
function listOf(values: readonly unknown[]): string {
  const json = JSON.stringify(values)
  const text = CONTROL.test(json) ? json.replace(ESCAPES, unescaped) : json
  return `{${text.slice(1, -1)}}`
}

const unescaped = (written: string): string =>
  written === '\\"' || written === '\\\\' ? written : String(JSON.parse(`"${written}"`))
