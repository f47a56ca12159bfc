import type { TSchema } from 'typebox'
import type { Described } from '../operation.js'

/** The headers that name the point for which an answer is true. */
const POINT = {
  'Accredit-Block': { description: 'The block that the answer is true for', schema: { type: 'integer' } },
  'Accredit-Block-Time': {
    description: 'The time at which that block was made',
    schema: { type: 'string', format: 'date-time' },
  },
  'Accredit-Final': {
    description: 'True where no fork of the ledger can take that block back',
    schema: { type: 'boolean' },
  },
}

const STALE = {
  'Accredit-Stale': {
    description:
      'Why the answer may be an old one: the ledger may have changed since without this service hearing of it. Absent when that cannot be',
    schema: { type: 'string' },
    example: 'The index lags behind the ledger',
  },
}

type Pointed = Pick<Described, 'querystring' | 'body' | 'namesBlock' | 'mayBeStale'>

/** Returns the headers of an operation whose answers are true for a point in time. */
export const pointHeaders = ({ querystring, body, namesBlock, mayBeStale }: Pointed): object => ({
  ...((namesBlock || asksForPoint(querystring) || asksForPoint(body)) && POINT),
  ...(mayBeStale && STALE),
})

const asksForPoint = (schema: TSchema | undefined): boolean =>
  schema !== undefined &&
  'properties' in schema &&
  typeof schema.properties === 'object' &&
  schema.properties !== null &&
  'at' in schema.properties
