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

/** Returns the headers of an operation that can be asked about a point in time. */
export const pointHeaders = ({ querystring, body }: Pick<Described, 'querystring' | 'body'>): Partial<typeof POINT> =>
  asksForPoint(querystring) || asksForPoint(body) ? POINT : {}

const asksForPoint = (schema: TSchema | undefined): boolean =>
  schema !== undefined &&
  'properties' in schema &&
  typeof schema.properties === 'object' &&
  schema.properties !== null &&
  'at' in schema.properties
