import { type Static, Type } from 'typebox'
import type { Context } from './context.js'

const Facts = Type.Record(Type.String(), Type.Unknown(), { description: 'The facts, by name' })

const Change = Type.Object({
  event: Type.String({
    examples: ['TrustRegistry.IssuerSuspended'],
    description: 'The event that would happen, as the ledger names it',
  }),
  actor: Type.String({ description: 'The DID that would act' }),
  keyId: Type.Optional(Type.Integer({ description: 'The number of its key that would sign' })),
  registryId: Type.Optional(Type.String({ description: 'The registry that it is about' })),
  schemaId: Type.Optional(Type.String({ description: 'The hash of the schema' })),
  subject: Type.Optional(Type.String({ description: 'The DID that it would happen to' })),
  before: Type.Optional(Facts),
  after: Type.Optional(Facts),
})

const Refusal = Type.Object({
  part: Type.Integer({ description: 'The part of the job, from 0' }),
  did: Type.String({ description: 'The DID that would act' }),
  type: Type.String({ description: 'The error as the ledger names it', examples: ['NotAuthorized'] }),
  message: Type.String({ description: 'Its documentation' }),
  rows: Type.Optional(Type.Array(Type.Integer(), { description: 'The rows of the request in that part, from 1' })),
})

/** The answer to `?dryRun=true`. */
export const DryRunAnswer = Type.Object(
  {
    changes: Type.Array(Change, { description: 'The changes that would be made' }),
    refusals: Type.Array(Refusal, { description: 'The parts that the ledger would refuse' }),
  },
  {
    description:
      'With dryRun=true: what would change on the ledger, as LedgerEvent tells it, and what the ledger would refuse. Both are empty when there is nothing to write.',
  },
)
export type DryRunAnswer = Static<typeof DryRunAnswer>

/** Lets an operation act on a database that is undone afterwards, and tells the outcome that it would have had. */
export type DryRunner = (ctx: Context, act: (ctx: Context) => Promise<unknown>) => Promise<DryRunAnswer>

export const DRY_RUN = Type.Boolean({
  default: false,
  description:
    'true: tell what this would change on the ledger, and which rule refuses it, and do nothing. It takes into account what your DIDs have on the way; what is wrong with the request itself is answered as always.',
})
