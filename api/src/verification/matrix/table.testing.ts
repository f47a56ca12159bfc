import { type Cell, DRAFTS, SCHEMA_PLACES, SHAPES, statusName } from './cells.testing.js'
import { LINES, modelsOf, nameOf } from './lines.testing.js'

/** A column: its values in their order, and the one that a cell has. */
interface Column {
  title: string
  order: readonly string[]
  of(cell: Cell): string
}

const NONE = 'none'

const columnsFor = (registryTypes: readonly string[]): Column[] => [
  { title: 'status', order: [NONE, 'automatic', ...registryTypes], of: ({ status }) => statusName(status) },
  { title: 'schema', order: Object.keys(SHAPES), of: ({ schema }) => schema?.shape ?? NONE },
  { title: 'stands', order: SCHEMA_PLACES, of: ({ schema }) => schema?.place ?? NONE },
  { title: 'draft', order: Object.keys(DRAFTS), of: ({ schema }) => schema?.draft ?? NONE },
]

/**
 * The matrix as README shows it.
 * @param cells those that were issued, verified, tampered with, revoked and unrevoked
 */
export function tableOf(cells: readonly Cell[], registryTypes: readonly string[]): string {
  const columns = columnsFor(registryTypes)
  const rows = LINES.flatMap((line) => modelsOf(line).map((model) => ({ line, model }))).map(({ line, model }) => {
    const own = cells.filter((cell) => cell.line === line && cell.model === model)
    const cellsOf = columns.map(({ order, of }) => {
      const values = new Set(own.map(of))
      return order.filter((value) => values.has(value)).join(', ')
    })
    return [nameOf(line), model, ...cellsOf]
  })
  const head = ['format, algorithm', 'data model', ...columns.map(({ title }) => title)]
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}
