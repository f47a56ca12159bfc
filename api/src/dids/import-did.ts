import { Type } from 'typebox'
import { JobStarted } from '../jobs/job.shape.js'
import type { Context } from '../platform/context.js'
import { EXAMPLE_WALLET } from '../platform/examples.js'
import { operation } from '../platform/operation.js'
import { pointerTo } from '../platform/pointer.js'
import { DidParams } from './did.shape.js'
import { importWallet } from './did-import.js'

const Imported = Type.Object({
  ...JobStarted.properties,
  data: Type.Object(
    { did: Type.String({ description: 'The DID that was taken over' }) },
    { description: 'JSON text, a document, or a list of documents; left out: the body itself is the document' },
  ),
})

const password = Type.Optional(
  Type.Union([Type.String({ maxLength: 128 }), Type.Null()], { description: 'Of an encrypted wallet' }),
)

const common = {
  ...({ method: 'POST', auth: 'key', tenancy: 'owned' } as const),
  tags: ['dids'],
  response: { 200: Imported },
  errors: ['did_method_not_supported', 'forbidden', 'ledger_unavailable'] as const,
  limits: { concurrencyPerAddress: 4 },
}

export const importDid = operation({
  ...common,
  url: '/dids/import',
  operationId: 'importDid',
  summary: 'Take over a DID that was made elsewhere, with its private keys',
  description:
    "Universal Wallet 2020 documents and DID resolution results, plain or encrypted, alone or in a list, also as JSON text. The public keys must be the DID's on this ledger, whatever their ids are called; at least one Ed25519 key must be able to act for it. Keys that are not the DID's are forgotten at once.",
  body: Type.Object({ data: Type.Unknown({ description: 'JSON text, a document, or a list of documents' }), password }),
  examples: { 'An exported wallet': { data: EXAMPLE_WALLET, password: 'correct horse' } },
  handler: (ctx: Context, { body }) => importWallet(ctx, { data: body.data, password: body.password ?? undefined }),
})

export const importDidDocument = operation({
  ...common,
  url: '/dids/:did/import',
  operationId: 'importDidDocument',
  summary: 'The same for a DID that is named',
  description: 'The exported document itself, or as in importDid. It must be of the DID in the path.',
  params: DidParams,
  body: Type.Object(
    {
      data: Type.Optional(
        Type.Unknown({
          description: 'JSON text, a document, or a list of documents; left out: the body itself is the document',
        }),
      ),
      password,
    },
    { additionalProperties: true },
  ),
  examples: {
    'With the wallet as data': { data: EXAMPLE_WALLET, password: 'correct horse' },
    'The wallet itself': { ...EXAMPLE_WALLET, password: 'correct horse' },
  },
  handler: (ctx: Context, { params, body }) => {
    const { password: given, data, ...document } = body
    const isWrapped = data !== undefined && data !== null
    if (isWrapped) ctx.ignore(Object.keys(document).map((name) => pointerTo([name])))
    return importWallet(ctx, { data: isWrapped ? data : document, password: given ?? undefined, did: params.did })
  },
})
