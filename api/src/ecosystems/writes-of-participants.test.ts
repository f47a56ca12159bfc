/** The writes about registries, invitations and participants, row by row over a real ledger. */

import { afterAll, expect, test } from 'vitest'
import { TEXTS } from './testing.js'
import { rowsOfReadme } from './writes.testing.js'
import { type Case, METADATA, one, Stage, three, two } from './writes-stage.testing.js'

const TABLE = 'Registries, invitations and participants'

const stage = await Stage.open()
afterAll(() => stage.service.close())
const {
  by,
  get,
  participant,
  publicly,
  total,
  right,
  canTake,
  owner,
  guest,
  byConvener,
  convener,
  issuer,
  verifier,
  tokens,
  service,
  ofSchema,
} = stage

const cases: Case[] = [
  {
    row: [
      '`POST /trust-registries`',
      '`init_or_update_trust_registry`',
      'convener',
      'the creator at once (`Accredit-Pending`), everybody from its block on; refused: gone, slug free',
    ],
    async write() {
      const created = await by(owner, 'POST', '/trust-registries', { convener, name: 'Lesotho', ...TEXTS })
      stage.url = `/trust-registries/${created.body.id}`
      return created
    },
    signer: byConvener,
    calls: [['init_or_update_trust_registry']],
    look: async (at) => [
      (await get(owner, '/trust-registries', at)).body.length,
      (await get(undefined, `${stage.url}/public`, at)).status,
    ],
    before: [0, 404],
    pending: [1, 404],
    after: [1, 200],
  },
  {
    row: [
      '`PATCH /trust-registries/{id}`, name or governance changed',
      '`init_or_update_trust_registry`',
      'convener',
      'name, text and slug from its block on; before it, as it was',
    ],
    write: () => by(owner, 'PATCH', stage.url, { name: 'Eswatini', ...TEXTS, governanceFramework: '# Others' }),
    signer: byConvener,
    calls: [['init_or_update_trust_registry']],
    look: publicly,
    before: ['Lesotho', 'lesotho', TEXTS.governanceFramework, TEXTS.description],
    after: ['Eswatini', 'eswatini', '# Others', TEXTS.description],
  },
  {
    row: ['the same, neither changed', 'none', '', 'from the moment of the request on'],
    write: () =>
      by(owner, 'PATCH', stage.url, {
        name: 'Eswatini',
        ...TEXTS,
        governanceFramework: '# Others',
        description: 'Else',
      }),
    look: publicly,
    before: ['Eswatini', 'eswatini', '# Others', TEXTS.description],
    after: ['Eswatini', 'eswatini', '# Others', 'Else'],
  },
  {
    row: ['`POST …/participants` (invite)', 'none', '', 'a link, nothing else'],
    write: () => stage.invite({ issuerSchemas: [one] }),
    look: total,
    before: 0,
    after: 0,
  },
  {
    row: [
      '`POST …/invitations/accept` with schemas',
      '`set_schemas_metadata`: `Ensure` per schema',
      "convener; the job is the guest's",
      'a participant from its block on; refused: no participant, the token is free again',
    ],
    write: () => stage.accept(issuer, { issuerSchemas: [two, three] }),
    signer: byConvener,
    calls: METADATA,
    look: async (at) => [await total(at), (await get(guest, stage.url, at)).status],
    // The DIDs that take part now may read, also of the past.
    before: [0, 404],
    after: [1, 200],
    past: [0, 200],
  },
  {
    row: ['the same without any new right', 'none', '', 'a participant at once, a verifier of what is public'],
    write: () => stage.accept(verifier, {}),
    look: total,
    before: 1,
    after: 2,
  },
  {
    row: ['`POST …/invitations/decline`', 'none', '', 'the token is used'],
    write: () => by(guest, 'POST', '/trust-registries/invitations/decline', { token: tokens[0] }),
    // A token's past is nobody's to read.
    look: canTake(() => tokens[0]),
    before: 200,
    after: 400,
    past: 400,
  },
  {
    row: ['`POST …/invitations/snooze`', 'none', '', 'nothing'],
    async write() {
      await stage.invite({})
      return by(guest, 'POST', '/trust-registries/invitations/snooze', { token: tokens.at(-1), maxAge: 60 })
    },
    look: canTake(() => tokens.at(-1)),
    before: 400,
    after: 200,
    past: 200,
  },
  {
    row: [
      '`PATCH …/participants/{id}` `issuerSchemas`, `verifierSchemas`',
      '`set_schemas_metadata`: `Ensure` and `Discard` of this DID only',
      'convener',
      'rights from its block on',
    ],
    write: () => by(owner, 'PATCH', participant(issuer), { issuerSchemas: [one, two] }),
    signer: byConvener,
    calls: METADATA,
    look: async (at) => (await right(issuer)(at)).map((of) => (Array.isArray(of) ? [...of].sort() : of)),
    before: [[two, three], [], 'active', ''],
    after: [[one, two], [], 'active', ''],
  },
  {
    row: [
      'the same, `status: suspended`',
      '`suspend_issuers`, or `suspend_verifiers` of who only verifies',
      'convener',
      'status and `suspendedAt` (time of the block) from its block on',
    ],
    write: () => by(owner, 'PATCH', participant(issuer), { status: 'suspended' }),
    signer: byConvener,
    calls: [['suspend_issuers']],
    async look(at) {
      const { body } = await get(owner, participant(issuer), at)
      return [body.status, body.suspendedAt === '' || body.suspendedAt === (await service.timeOfNewestEvent())]
    },
    before: ['active', true],
    after: ['suspended', true],
  },
  {
    row: [
      'the same, `status: active`',
      '`unsuspend_issuers`, or `unsuspend_verifiers` of who only verifies',
      'convener',
      'status from its block on',
    ],
    write: () => by(owner, 'PATCH', participant(issuer), { status: 'active' }),
    signer: byConvener,
    calls: [['unsuspend_issuers']],
    look: async (at) => (await right(issuer)(at))[2],
    before: 'suspended',
    after: 'active',
  },
  {
    row: [
      'the same, `status` of a participant without any right',
      'none: remembered here until the first right',
      '',
      'at once',
    ],
    write: () => by(owner, 'PATCH', participant(verifier), { status: 'suspended' }),
    look: async (at) => (await right(verifier)(at))[2],
    before: 'active',
    after: 'suspended',
  },
  {
    row: [
      'the first right of who is remembered as suspended, by PATCH or by accepting',
      '`set_schemas_metadata`: `Ensure`; then `suspend_issuers` or `suspend_verifiers`',
      'convener',
      'rights from its block on, suspended as before',
    ],
    write: () => by(owner, 'PATCH', participant(verifier), { verifierSchemas: [one] }),
    signer: byConvener,
    calls: [['set_schemas_metadata', 'suspend_verifiers']],
    look: (at) => right(verifier)(at),
    before: [[], [], 'suspended', ''],
    after: [[], [one], 'suspended', ''],
  },
  {
    row: ['`PATCH …/participants/{id}/info`, `infoUrl`', 'none', '', 'at once; readers of the past see the old one'],
    write: () => by(guest, 'PATCH', `${participant(issuer)}/info`, { infoUrl: 'https://ox.ac.uk' }),
    look: async (at) => (await right(issuer)(at))[3],
    before: '',
    after: 'https://ox.ac.uk',
  },
  {
    row: [
      '`POST …/participants/bulk`',
      "`set_schemas_metadata`: `Ensure` of each row's rights, `Set` of its prices, part by part",
      'convener',
      'each row and its name from the block of its part on; refused: neither',
    ],
    write: () =>
      by(owner, 'POST', `${stage.url}/participants/bulk`, [
        {
          did: issuer,
          name: 'Oxford',
          issuerSchemas: [three],
          prices: [{ schema: three, currency: 'EUR', digits: 5 }],
        },
        { did: verifier, name: 'Employer', verifierSchemas: [one] },
      ]),
    startsJob: true,
    signer: byConvener,
    calls: METADATA,
    async look(at) {
      const { body } = await get(owner, participant(issuer), at)
      return [[...body.issuerSchemas].sort(), body.prices]
    },
    before: [[one, two], []],
    after: [[one, two, three], [{ schema: three, currency: 'EUR', digits: '5' }]],
  },
  {
    row: [
      '`PUT …/issuers/{did}/delegates`',
      '`update_delegated_issuers`: `Add` of who is new; the others are removed',
      'the issuer',
      'delegates from its block on',
    ],
    write: () => by(guest, 'PUT', `${stage.url}/issuers/${issuer}/delegates`, { delegates: [verifier] }),
    signer: () => issuer,
    calls: [['update_delegated_issuers']],
    look: async (at) => (await get(owner, `${stage.url}/issuers/${issuer}/delegates`, at)).body.delegates,
    before: [],
    after: [verifier],
  },
  {
    row: ['`DELETE …/waiting-actions/{job}`', 'none', '', 'its job fails, and nothing comes of what was asked for'],
    write: () =>
      service.withoutKeys(convener, async () => {
        const { job } = await by(owner, 'PUT', ofSchema('urn:withdrawn'), { public: true })
        return by(owner, 'DELETE', `${stage.url}/waiting-actions/${job}`)
      }),
    // A pending action has no past.
    look: async () => (await get(owner, `${stage.url}/waiting-actions`)).body.total,
    before: 0,
    after: 0,
  },
]

test('the table of README.md is this one, row by row', () => {
  expect(rowsOfReadme(TABLE)).toEqual(cases.map(({ row }) => [...row]))
})

test.each(cases)('$row.0: what README.md says is what happens', (wanted) => stage.expectAsWritten(wanted))
