import { type DidDocument, didDocumentMetadata, hexIn } from '@accredit/chain'
import { Type } from 'typebox'
import { holdStanding } from '../../accounts/standing.js'
import { notFound } from '../../platform/errors.js'
import type { Context } from '../../platform/http/context.js'
import { operation } from '../../platform/http/operation.js'
import { DidParams } from '../did.shape.js'
import { ownDid, storedDidState } from '../did.store.js'
import { apiDocument } from '../resolution/api-document.js'
import { heldKeys } from './did-transfer.store.js'
import { EncryptedWallet, encryptWallet } from './universal-wallet.js'
import { keyDocument } from './wallet-content.js'
import { fromSigner } from './wallet-errors.js'
import { passwordToKey } from './wallet-key.js'

export const exportDid = operation({
  method: 'POST',
  url: '/dids/:did/export',
  operationId: 'exportDid',
  tags: ['dids'],
  summary: 'Export a DID with its private keys, encrypted with a password',
  description:
    'A Universal Wallet 2020: the resolution of the DID and a document for each key that the service holds. Whoever has it and the password controls the DID. With array=true each document is a wallet of its own, the resolution first.',
  auth: 'key',
  role: 'owner',
  tenancy: 'owned',
  params: DidParams,
  querystring: Type.Object({
    array: Type.Boolean({ default: false, description: 'A list of wallets, one for each document' }),
  }),
  body: Type.Object({
    password: Type.String({
      minLength: 2,
      maxLength: 128,
      description: 'Whoever has it and the answer controls the DID',
    }),
  }),
  examples: { 'Any password': { password: 'correct horse' } },
  response: { 200: Type.Union([EncryptedWallet, Type.Array(EncryptedWallet)]) },
  errors: ['not_found', 'ledger_unavailable'],
  limits: { concurrencyPerAddress: 4 },
  secretAnswer: true,
  handler: async (ctx, { params, query, body }) => {
    const { state, keys } = await ownKeys(ctx, params.did)
    const document = apiDocument(state)
    const pairs = await fromSigner(ctx.signer.exportKeys(keys))
    const methods = methodsOf(document)
    const documents = [
      resolution(document, didDocumentMetadata(state)),
      ...pairs.map(({ publicKey, privateKey }, index) => {
        const place = state.keys.findIndex(({ key }) => key.publicKey === publicKey)
        const [method, listed] = [methods[place], state.keys[place]]
        if (method === undefined || listed === undefined) throw new TypeError(`key ${index} is not in the document`)
        return keyDocument(method, listed.key, hexIn(privateKey))
      }),
    ]
    const key = await passwordToKey(body.password)
    await ctx.db.transaction(ctx.scope, async (tx) => {
      await holdStanding(tx, ctx)
      await tx.audit({ action: 'exportDid', subject: state.did, detail: { keys: pairs.length }, changes: 'nothing' })
    })
    ctx.reply.header('Cache-Control', 'no-store')
    const sources = { now: ctx.clock.now(), random: ctx.random.bytes }
    if (!query.array) return encryptWallet(documents, key, sources)
    return documents.map((one) => encryptWallet([one], key, sources))
  },
})

function ownKeys(ctx: Context, did: string) {
  return ctx.db.read(ctx.scope, async (reader) => {
    const own = await ownDid(reader, did)
    if (own === undefined) throw notFound('DID')
    return { state: await storedDidState(reader, own), keys: await heldKeys(reader, did) }
  })
}

/** Keys get their older types, which wallets have, with the multibase of the newer ones. */
function methodsOf({ publicKey = [], verificationMethod = [] }: DidDocument) {
  return publicKey.map((method, index) => {
    const publicKeyMultibase = verificationMethod[index]?.publicKeyMultibase
    return { ...method, ...(publicKeyMultibase === undefined ? {} : { publicKeyMultibase }) }
  })
}

function resolution(didDocument: DidDocument, metadata: object) {
  return {
    '@context': ['https://w3id.org/wallet/v1'],
    id: didDocument.id,
    type: 'DIDResolutionResponse',
    didDocument,
    didDocumentMetadata: metadata,
    didResolutionMetadata: { contentType: 'application/did+ld+json' },
  }
}
