import type { JsonObject } from '../../formats/json.js'
import { STATUS_METHODS } from '../../status/status-methods.js'
import { automaticType, LINES, type Line, type Model, modelsOf, nameOf } from './lines.testing.js'

/** The shapes of a schema, with a subject that satisfies each. */
export const SHAPES = {
  none: { subject: { degree: 'M.Sc. Physics', year: 2026, passed: true }, properties: {} },
  flat: {
    subject: { degree: 'M.Sc. Physics', year: 2026, mark: 1.5, passed: true },
    properties: {
      degree: { type: 'string' },
      year: { type: 'integer' },
      mark: { type: 'number' },
      passed: { type: 'boolean' },
    },
  },
  nested: {
    subject: { degree: 'M.Sc.', home: { street: 'Main Street', city: { name: 'Łódź', zone: 7 } } },
    properties: {
      degree: { type: 'string' },
      home: {
        type: 'object',
        properties: {
          street: { type: 'string' },
          city: { type: 'object', properties: { name: { type: 'string' }, zone: { type: 'integer' } } },
        },
      },
    },
  },
  arrays: {
    subject: {
      degree: 'M.Sc.',
      tags: ['x', 'y'],
      exams: [
        { subjectName: 'Optics', mark: 1 },
        { subjectName: 'Chemistry', mark: 2 },
      ],
    },
    properties: {
      degree: { type: 'string', sd: 'allowed' },
      tags: { type: 'array', items: { type: 'string' } },
      exams: {
        type: 'array',
        items: { type: 'object', properties: { subjectName: { type: 'string' }, mark: { type: 'integer' } } },
      },
    },
  },
} satisfies Record<string, { subject: JsonObject; properties: JsonObject }>

export type Shape = keyof typeof SHAPES

export const DRAFTS = {
  'draft-07': 'http://json-schema.org/draft-07/schema#',
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
} as const

/** An embedded schema is its own address, a data: URL. */
export const SCHEMA_PLACES = ['here', 'elsewhere', 'embedded'] as const

interface NamedSchema {
  readonly shape: Exclude<Shape, 'none'>
  readonly place: (typeof SCHEMA_PLACES)[number]
  readonly draft: keyof typeof DRAFTS
}

/** `automatic` is the registry that `revocable: true` makes; others are named by the request. */
export type Status = 'none' | 'automatic' | { readonly registryType: string }

/** One way to issue a credential. */
export interface Cell {
  readonly line: Line
  readonly model: Model
  readonly status: Status
  readonly schema: NamedSchema | undefined
}

const SCHEMAS: readonly (NamedSchema | undefined)[] = [
  undefined,
  ...(['flat', 'nested', 'arrays'] as const).flatMap((shape) =>
    SCHEMA_PLACES.flatMap((place) =>
      (['draft-07', '2020-12'] as const).map((draft): NamedSchema => ({ shape, place, draft })),
    ),
  ),
]

/** Every cell of the matrix. */
export function allCells(registryTypes: readonly string[]): Cell[] {
  const statuses: Status[] = ['none', 'automatic', ...registryTypes.map((registryType) => ({ registryType }))]
  return LINES.flatMap((line) =>
    modelsOf(line).flatMap((model) =>
      statuses.flatMap((status) => SCHEMAS.map((schema): Cell => ({ line, model, status, schema }))),
    ),
  )
}

/** Tells whether the service issues a cell; of others it says why not. */
export function isPossible({ line, model, status }: Cell): boolean {
  if (status === 'none') return true
  if (status !== 'automatic') return line.models[model]?.includes(status.registryType) === true
  const type = automaticType(line, model)
  return STATUS_METHODS.some(({ registryType }) => registryType === type)
}

export const statusName = (status: Status): string => (typeof status === 'string' ? status : status.registryType)

/** The values of a cell, one of each dimension; an algorithm in another data model is another one. */
const valuesOf = ({ line, model, status, schema }: Cell): string[] => [
  `${nameOf(line)} (${model})`,
  statusName(status),
  schema?.shape ?? 'no schema',
  ...(schema ? [schema.place, schema.draft] : []),
]

export const cellName = (cell: Cell): string => valuesOf(cell).join(', ')

const pairsOf = (cell: Cell): string[] =>
  valuesOf(cell).flatMap((one, place, values) => values.slice(place + 1).map((other) => `${one} | ${other}`))

/**
 * Cells in which any two values that some cell has together stand together at least once. Generators of covering
 * arrays take dimensions that are free of each other, and these are not.
 */
export function pairwise(cells: readonly Cell[]): Cell[] {
  let left = cells.map((cell) => ({ cell, pairs: pairsOf(cell) }))
  const open = new Set(left.flatMap(({ pairs }) => pairs))
  const chosen: Cell[] = []
  while (open.size > 0) {
    // A pair that is taken is nobody's gain any more.
    left = left.map(({ cell, pairs }) => ({ cell, pairs: pairs.filter((pair) => open.has(pair)) }))
    const [first, ...others] = left
    if (first === undefined) break
    const best = others.reduce((most, one) => (one.pairs.length > most.pairs.length ? one : most), first)
    chosen.push(best.cell)
    for (const pair of best.pairs) open.delete(pair)
  }
  return chosen
}
