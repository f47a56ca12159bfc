import { type Case, METADATA, one, type Stage, three, two } from './writes-stage.testing.js'

/** Rows about many participants at once, and about delegates. */
export function writesOfMany(stage: Stage): Case[] {
  const { by, byConvener, get, ofSchema, participant, owner, guest, convener, issuer, verifier, service } = stage
  return [
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
            ...{ did: issuer, name: 'Oxford', issuerSchemas: [three] },
            prices: [{ schema: three, currency: 'EUR', digits: 5 }],
          },
          { did: verifier, name: 'Employer', verifierSchemas: [one] },
        ]),
      ...{ startsJob: true, signer: byConvener, calls: METADATA },
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
      ...{ signer: () => issuer, calls: [['update_delegated_issuers']] },
      look: async (at) => (await get(owner, `${stage.url}/issuers/${issuer}/delegates`, at)).body.delegates,
      ...{ before: [], after: [verifier] },
    },
    {
      row: ['`DELETE …/waiting-actions/{job}`', 'none', '', 'its job fails, and nothing comes of what was asked for'],
      write: () =>
        service.withoutKeys(convener, async () => {
          const { job } = await by(owner, 'PUT', ofSchema('urn:withdrawn'), { public: true })
          return by(owner, 'DELETE', `${stage.url}/waiting-actions/${job}`)
        }),
      // What waits has no past.
      look: async () => (await get(owner, `${stage.url}/waiting-actions`)).body.total,
      ...{ before: 0, after: 0 },
    },
  ]
}
