/** The writes about prices and schemas, and removals, row by row over a real ledger. */

import { afterAll, expect, test } from 'vitest'
import { rowsOfReadme } from './writes.testing.js'
import { type Case, METADATA, one, Stage, two } from './writes-stage.testing.js'

const TABLE = 'Prices, schemas and removals'

const stage = await Stage.open()
afterAll(() => stage.service.close())
await stage.found()
const {
  by,
  get,
  ofSchema,
  participant,
  total,
  schemas,
  prices,
  owner,
  guest,
  byConvener,
  issuer,
  verifier,
  tokens,
  service,
} = stage

const cases: Case[] = [
  {
    row: [
      '`POST …/schemas/{schemaId}/price` by the issuer',
      '`set_schemas_metadata`: `Set` of this currency of this issuer only',
      'issuer',
      'the price from its block on',
    ],
    write: () => by(guest, 'POST', `${ofSchema(one)}/price`, { currency: 'EUR', digits: String(2n ** 128n - 1n) }),
    signer: () => issuer,
    calls: METADATA,
    look: prices,
    before: [],
    after: [[String(2n ** 128n - 1n), undefined]],
  },
  {
    row: [
      'the same by the convener',
      '`set_schemas_metadata`: `Set` of this currency of this issuer only',
      'convener',
      'the price from its block on',
    ],
    write: () => by(owner, 'POST', `${ofSchema(one)}/price`, { currency: 'EUR', digits: 0, issuerDID: issuer }),
    signer: byConvener,
    calls: METADATA,
    look: prices,
    before: [[String(2n ** 128n - 1n), undefined]],
    after: [['0', undefined]],
  },
  {
    row: [
      '`DELETE …/schemas/{schemaId}/price`',
      '`set_schemas_metadata`: `Remove` of this currency of this issuer only',
      'as for setting it',
      'unpriced from its block on',
    ],
    write: () => by(guest, 'DELETE', `${ofSchema(one)}/price?currency=EUR`),
    signer: () => issuer,
    calls: METADATA,
    look: prices,
    before: [['0', undefined]],
    after: [],
  },
  {
    row: [
      'either of them with `verifier`',
      'none',
      '',
      'at once, for the teams of verifier, issuer and convener; readers of the past see the old one',
    ],
    write: () => by(guest, 'POST', `${ofSchema(one)}/price`, { currency: 'EUR', digits: '7', verifier }),
    async look(at) {
      const { body } = await get(
        await service.team(),
        `/trust-registries/schema-prices?ids=${encodeURIComponent(one)}`,
        at,
      )
      return [(await prices(at)).map(([digits]: string[]) => digits), body[0].prices]
    },
    before: [[], []],
    after: [['7'], []],
  },
  {
    row: [
      '`DELETE …/participants/{id}` by the convener',
      '`set_schemas_metadata`: `Discard`',
      'convener',
      'gone from its block on',
    ],
    write: () => by(owner, 'DELETE', participant(verifier)),
    // The prices for it end with it.
    signer: byConvener,
    calls: METADATA,
    look: async (at) => [await total(at), (await prices(at)).length],
    before: [2, 1],
    after: [1, 0],
  },
  {
    row: ['the same by the participant', '`set_schemas_metadata`: `Discard`', 'its own DID', 'gone from its block on'],
    write: () => by(guest, 'DELETE', participant(issuer)),
    signer: () => issuer,
    calls: METADATA,
    look: total,
    before: 1,
    after: 0,
  },
  {
    row: [
      '`PUT …/schemas/{schemaId}` `public: true`, not there yet',
      '`set_schemas_metadata`: `Add` with an empty verifier set',
      'convener',
      'there from its block on, and anyone may verify',
    ],
    write: () => by(owner, 'PUT', ofSchema('urn:open'), { public: true }),
    signer: byConvener,
    calls: METADATA,
    look: async (at) => (await schemas(at))['urn:open'],
    before: undefined,
    after: true,
  },
  {
    row: [
      'the same, there already',
      "`set_schemas_metadata`: `Ensure` with a `Set` of no verifiers, with the registry's version (409 when it moved)",
      'convener',
      'anyone may verify from its block on; named verifiers are not named any more',
    ],
    write: () => by(owner, 'PUT', ofSchema(two), { public: true }),
    signer: byConvener,
    calls: METADATA,
    look: async (at) => (await schemas(at))[two],
    before: false,
    after: true,
  },
  {
    row: [
      '`PUT …/schemas/{schemaId}` `public: false`, not there yet',
      '`set_schemas_metadata`: `Ensure`',
      'convener',
      'there from its block on, for nobody',
    ],
    write: () => by(owner, 'PUT', ofSchema('urn:closed'), { public: false }),
    signer: byConvener,
    calls: METADATA,
    look: async (at) => (await schemas(at))['urn:closed'],
    before: undefined,
    after: false,
  },
  {
    row: [
      'the same, public so far',
      '`set_schemas_metadata` twice: `Ensure` and `Discard` of a verifier, that comes and goes in one dispatch',
      'convener',
      'closed from its block on',
    ],
    write: () => by(owner, 'PUT', ofSchema(two), { public: false }),
    signer: byConvener,
    calls: [['set_schemas_metadata', 'set_schemas_metadata']],
    look: async (at) => [
      (await schemas(at))[two],
      (await get(undefined, `${stage.url}/verifiers?schemaId=${two}`, at)).body,
    ],
    before: [true, []],
    after: [false, []],
  },
  {
    row: [
      '`DELETE …/schemas/{schemaId}`',
      '`set_schemas_metadata`: `Discard`, large ones part by part',
      'convener',
      'gone from the block of the last part on; participants stay',
    ],
    write: () => by(owner, 'DELETE', ofSchema(two)),
    signer: byConvener,
    calls: METADATA,
    look: async (at) => Object.hasOwn(await schemas(at), two),
    before: true,
    after: false,
  },
  {
    row: [
      '`DELETE /trust-registries/{id}`',
      '`set_schemas_metadata`: `Discard` of all schemas, part by part; then `remove_trust_registry`',
      'convener',
      'gone for everybody, its slugs stay its own; its past stays readable; invitations say why they are refused',
    ],
    write: () => by(owner, 'DELETE', stage.url),
    signer: byConvener,
    calls: [...METADATA, ['remove_trust_registry']],
    async look(at) {
      // The DID is not the caller's: nobody comes in.
      const taken = { token: at === undefined ? tokens.at(-1) : '-', did: issuer }
      const refused = await by(owner, 'POST', '/trust-registries/invitations/accept', taken)
      return [(await get(undefined, `${stage.url}/public`, at)).status, /was deleted/.test(refused.body.message)]
    },
    before: [200, false],
    after: [404, true],
  },
]

test('the table of README.md is this one, row by row', () => {
  expect(rowsOfReadme(TABLE)).toEqual(cases.map(({ row }) => [...row]))
})

test.each(cases)('$row.0: what README.md says is what happens', (wanted) => stage.expectAsWritten(wanted))
