import type { JsonObject } from './schema-rules.js'

/** An ordinary schema; another number is another text, which has to be compiled anew. */
export const ordinary = (number: number): JsonObject => ({
  name: `Degree ${number}`,
  type: 'object',
  properties: {
    degree: { type: 'string' },
    year: { type: 'integer', minimum: 1900 },
    day: { type: 'string', format: 'date' },
  },
  required: ['degree'],
})

/** 28 levels that each ask the next one twice: 2^28 steps for one value of member `x`. */
export function endless(number: number): JsonObject {
  const levels = 28
  const definitions: JsonObject = { [`a${levels}`]: { type: 'integer' } }
  for (let i = 0; i < levels; i++) {
    const next = { $ref: `#/definitions/a${i + 1}` }
    definitions[`a${i}`] = { allOf: [next, next] }
  }
  return { name: `Endless ${number}`, properties: { x: { $ref: '#/definitions/a0' } }, definitions }
}
