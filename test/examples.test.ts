import { expect, it } from 'vitest'
import { EXAMPLE, EXAMPLE_CREDENTIAL, EXAMPLE_WALLET } from '../api/src/platform/http/reference/examples.js'
import { goodWorld } from './support/good-requests.js'
import { peopleOf } from './support/people.js'
import { type Example, isOfEnding, isOfSponsors, operations, requestsWith } from './support/requests.js'
import { apiUrl, databaseUrl } from './support/shared-stack.js'
import { anotherTeam } from './support/team.js'

/** The imports of DIDs that are held here already. */
const HELD = new Set(['importDid', 'importDidDocument'])

const apiKey = await anotherTeam('Readers of the reference')
const people = await peopleOf(databaseUrl, apiKey)
const request = requestsWith(apiKey, apiUrl, people.newSession)
const { requests, about } = await goodWorld(apiUrl, apiKey, people)
const withBody = (await operations(apiUrl)).filter((one) => one.requestBody && !isOfSponsors(one) && !isOfEnding(one))

const membersOf = (value: object): string => JSON.stringify(value).slice(1, -1)

const credentialId = (id: string): string => `"credentialId":${JSON.stringify(id)}`

/** The names in examples, with their replacements here. */
const STAND_INS: [string, string][] = [
  [membersOf(EXAMPLE_CREDENTIAL), membersOf(about.issued)],
  [membersOf(EXAMPLE_WALLET), membersOf(about.wallet)],
  [credentialId(EXAMPLE_CREDENTIAL.id), credentialId(about.issued.id)],
  [EXAMPLE.convener, about.convener],
  [EXAMPLE.issuer, about.issuer],
  [EXAMPLE.newcomer, about.newcomer],
  [EXAMPLE.trustRegistry, about.trustRegistry],
  [`"at":"${EXAMPLE.instant}"`, `"at":"${about.issued.proof.created}"`],
  [`"selectedTeamId":${EXAMPLE.number}`, `"selectedTeamId":${people.team}`],
  [`"userId":${EXAMPLE.number}`, `"userId":${people.members[0]}`],
]

const examplesOf = ({ requestBody }: (typeof withBody)[number]): Example[] =>
  Object.values(requestBody?.content['application/json']?.examples ?? {})

/** The examples fit each other: an issued credential has the schema that is hosted. */
async function exampleSchema(): Promise<string> {
  const [example] = withBody.filter(({ operationId }) => operationId === 'createSchema').flatMap(examplesOf)
  return (await request('POST', '/schemas', example?.value)).body.data.uri
}

it.each(withBody.map((operation) => [operation.operationId, operation] as const))(
  'the examples of %s work',
  async (id, operation) => {
    const { path = '', bodies = [] } = requests[id] ?? {}
    const { token, accept_invitation_token: invitation = token } = Object(bodies[0])
    const examples = examplesOf(operation)
    expect(examples).not.toEqual([])
    const done = Object.hasOwn(operation.responses, '201') ? 201 : 200
    const schema = id === 'issueCredential' ? await exampleSchema() : about.schema
    for (const { summary, value } of examples) {
      const text = [
        ...STAND_INS,
        [EXAMPLE.token, String(invitation)] as const,
        [EXAMPLE.schema, schema] as const,
      ].reduce((before, [named, there]) => before.replaceAll(named, there), JSON.stringify(value))
      const { status, body, headers } = await request(operation.method, path, text)
      expect([done, ...(HELD.has(id) ? [409] : [])], `${summary}: ${JSON.stringify(body)}`).toContain(status)
      expect(headers.get('accredit-ignored'), summary).toBe(null)
    }
  },
)
