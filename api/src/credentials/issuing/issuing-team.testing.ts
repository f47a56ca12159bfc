import type { JsonObject } from '../../formats/json.js'
import { TestService } from '../loop.testing.js'

export interface IssuingTeam {
  service: TestService
  /** A DID of the team, on the ledger. */
  issuer: string
  /** The URI of a schema of degrees. */
  schema: string
  close(): Promise<void>
}

/** The whole loop, with an issuer and a schema. */
export async function openIssuingTeam(): Promise<IssuingTeam> {
  const service = await TestService.open()
  const issuer = await service.did()
  const { body } = await service.call('POST', '/schemas', {
    $schema: 'http://json-schema.org/draft-07/schema#',
    name: 'University Degree',
    type: 'object',
    properties: { degree: { type: 'string' }, year: { type: 'integer', minimum: 1900 }, tags: { type: 'array' } },
    required: ['degree'],
    additionalProperties: false,
  })
  return { service, issuer, schema: body.data.uri, close: () => service.close() }
}

/** A status entry of a list that nobody has. */
export const strangeEntry = (more: JsonObject): JsonObject => ({
  id: 'https://nowhere.invalid/list#1',
  type: 'StatusList2021Entry',
  statusPurpose: 'revocation',
  statusListIndex: '1',
  statusListCredential: 'https://nowhere.invalid/list',
  ...more,
})
