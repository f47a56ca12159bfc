import { type Case, one, type Stage, three, two } from './writes-stage.testing.js'

/** Rows about many participants at once, and about delegates. */
export function writesOfMany(stage: Stage): Case[] {
  const { by, get, participant, owner, guest, convener, issuer, verifier } = stage
  return [
    {
      row: [
        '`POST …/participants/bulk`',
        "`set_schemas_metadata`: `Ensure` of each row's rights, `Set` of its prices, part by part",
        'convener',
        'each row from the block of its part on, its name when the job has ended; refused: neither',
      ],
      write: () =>
        by(owner, 'POST', `${stage.url}/participants/bulk`, [
          {
            ...{ did: issuer, name: 'Oxford', issuerSchemas: [three] },
            prices: [{ schema: three, currency: 'EUR', digits: 5 }],
          },
          { did: verifier, name: 'Employer', verifierSchemas: [one] },
        ]),
      ...{ startsJob: true, signer: () => convener, calls: [['set_schemas_metadata']] },
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
  ]
}
