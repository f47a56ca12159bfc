import { Type } from 'typebox'
import { Check } from 'typebox/schema'
import { JobStarted } from '../../jobs/job.shape.js'
import type { Context } from '../../platform/http/context.js'
import { operation } from '../../platform/http/operation.js'
import { EXAMPLE_WALLET } from '../../platform/http/reference/examples.js'
import { DidParams } from '../did.shape.js'
import { type GivenWallet, importWallet } from './did-import.js'

const Imported = Type.Object({
  ...JobStarted.properties,
  data: Type.Object(
    { did: Type.String({ description: 'The DID that was taken over' }) },
    { description: 'The DID that was taken over' },
  ),
})

const password = Type.Optional(
  Type.Union([Type.String({ maxLength: 128 }), Type.Null()], { description: 'Of an encrypted wallet' }),
)

const common = {
  ...({ method: 'POST', auth: 'key', role: 'member', tenancy: 'owned' } as const),
  tags: ['dids'],
  response: { 200: Imported },
  errors: ['did_method_not_supported', 'forbidden', 'ledger_unavailable'] as const,
  limits: { concurrencyPerAddress: 4 },
}

const Wrapped = Type.Object({
  data: Type.Unknown({ description: 'JSON text, a document, or a list of documents' }),
  keys: Type.Optional(Type.Array(Type.Unknown(), { description: 'Key documents, where they are not in data' })),
  password,
})

const Bare = Type.Union([Type.Array(Type.Unknown()), Type.Object({ password }, { additionalProperties: true })], {
  description: 'The document itself, or a list of documents',
})

const ImportBody = Type.Unsafe<unknown>({
  description:
    'A wallet, a resolution (with the key documents beside it as keys, where it has them) or a list of such, alone or as data',
  if: Type.Object({ data: Type.Unsafe<unknown>({ not: { type: 'null' }, description: 'The wrapped document' }) }),
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema names it so
  then: Wrapped,
  else: Bare,
})

/** Returns the wallet of a body, in any of its forms; the body has been checked against the schema. */
function walletIn(body: unknown): Pick<GivenWallet, 'data' | 'password'> {
  if (Check(Wrapped, body) && body.data !== null) {
    const { data, keys, password: given } = body
    return { data: keys === undefined ? data : [data, keys], password: given ?? undefined }
  }
  if (!Check(Bare, body) || Array.isArray(body)) return { data: body, password: undefined }
  const { password: given, ...document } = body
  return { data: document, password: given ?? undefined }
}

export const importDid = operation({
  ...common,
  url: '/dids/import',
  operationId: 'importDid',
  summary: 'Take over a DID that was made elsewhere, with its private keys',
  description:
    "Universal Wallet 2020 documents and DID resolution results, plain or encrypted, alone or in a list, also as JSON text; key documents may stand beside a resolution as its keys. The public keys must be the DID's on this ledger, whatever their ids are called; at least one Ed25519 key must be able to act for it. Keys that are not the DID's are forgotten at once.",
  body: ImportBody,
  examples: { 'An exported wallet': { data: EXAMPLE_WALLET, password: 'correct horse' } },
  handler: (ctx: Context, { body }) => importWallet(ctx, walletIn(body)),
})

export const importDidDocument = operation({
  ...common,
  url: '/dids/:did/import',
  operationId: 'importDidDocument',
  summary: 'The same for a DID that is named',
  description: 'In every form of importDid. It must be of the DID in the path.',
  params: DidParams,
  body: ImportBody,
  examples: {
    'With the wallet as data': { data: EXAMPLE_WALLET, password: 'correct horse' },
    'The wallet itself': { ...EXAMPLE_WALLET, password: 'correct horse' },
  },
  handler: (ctx: Context, { params, body }) => importWallet(ctx, { ...walletIn(body), did: params.did }),
})
