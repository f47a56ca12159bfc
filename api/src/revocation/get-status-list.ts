import { createHash } from 'node:crypto'
import { parseHex32 } from '@accredit/chain'
import { Type } from 'typebox'
import { isUsable } from '../dids/did.store.js'
import { type At, AtQuery, answerAt } from '../ledger/read/at.js'
import { type RevocationRegistryState, revocationRegistryAt } from '../ledger/read/status-list.js'
import { ApiError, notFound } from '../platform/errors.js'
import type { AnyContext } from '../platform/http/context.js'
import { operation } from '../platform/http/operation.js'
import { BriefMemory } from '../platform/process/brief-memory.js'
import { oneOfEach } from '../platform/process/one-of-each.js'
import { isKeptHere, listSigner } from './list-signer.js'
import { RegistryId } from './registry.shape.js'

// Sent as it was signed and kept: text.
const listShape = (description: string) =>
  Type.Unsafe<string>(Type.Object({}, { description, additionalProperties: true }))

const TOKEN = Type.String({ description: 'A Status List Token, signed' })

/** The route of a form of lists: that of the registries of a type. */
interface ListRoute {
  type: string
  path: string
  operationId: string
  name: string
  standard: string
  mediaType: string
}

const SIGNED =
  'Derived from the ledger, of which it tells the same in every form. One of the past ends at the time of the block that changed it. Signed by the DID that made the registry; when that is gone, by the next DID of the policy that its team still has, or that moved to another team since. When none is left, the last list stays until the bits change; from that block on the answer is 503, and with `at` the list is there for the blocks before. When none was ever signed, or a key that was revoked signed it, the answer is 503 at every block. 404 where the form has no word for the purpose of the registry.'

const listOperation = ({ type, path, operationId, name, standard, mediaType }: ListRoute) =>
  operation({
    method: 'GET',
    url: `/status-lists/:id${path}`,
    operationId,
    tags: ['revocationStatus'],
    summary: `Get the signed list of a registry: ${name}`,
    description: `${standard} ${SIGNED}`,
    auth: 'public',
    tenancy: 'public',
    tagged: true,
    params: Type.Object({ id: RegistryId }),
    querystring: AtQuery,
    response: { 200: mediaType.endsWith('jwt') ? TOKEN : listShape(`The list, a credential: ${name}`) },
    mediaTypes: [mediaType],
    errors: ['not_found', 'ledger_unavailable'],
    limits: { concurrencyPerAddress: 8 },
    handler: async (ctx, { params, query }) => {
      const id = parseHex32(params.id)
      if (!id) throw notFound('Status list')
      const at = await answerAt(ctx, query.at)
      const list = await listAt(ctx, { type, id, at })
      ctx.reply.type(list.mediaType)
      ctx.reply.header('ETag', list.tag)
      ctx.reply.header('Cache-Control', at.isSettled ? FOR_EVER : 'public, no-cache')
      return list.document
    },
  })

const FOR_EVER = 'public, max-age=31536000, immutable'

export const getStatusList = listOperation({
  type: 'StatusList2021Entry',
  path: '',
  operationId: 'getStatusList',
  name: 'StatusList2021',
  standard: 'The StatusList2021Credential that credentials of data model 1.1 name as statusListCredential.',
  mediaType: 'application/json',
})

export const LIST_OPERATIONS = [
  getStatusList,
  listOperation({
    type: 'BitstringStatusListEntry',
    path: '/bitstring',
    operationId: 'getBitstringStatusList',
    name: 'Bitstring Status List',
    standard: 'The BitstringStatusListCredential that credentials of data model 2.0 name as statusListCredential.',
    mediaType: 'application/vc',
  }),
  listOperation({
    type: 'TokenStatusList',
    path: '/token',
    operationId: 'getStatusListToken',
    name: 'Token Status List',
    standard: 'The Status List Token that SD-JWT credentials name as uri of their status_list.',
    mediaType: 'application/statuslist+jwt',
  }),
]

interface Question {
  /** The type of registries whose form is asked for. */
  type: string
  id: string
  at: At
}

interface TaggedList {
  document: string
  mediaType: string
  /** The entity tag. */
  tag: string
}

/** Lists that were served lately: of one block a list is the same for everybody. */
const lately = oneOfEach((_: object) => new BriefMemory<{ list: Promise<TaggedList> }>(64))

/** The present list is asked for by every verifier of every credential in it; one of the past by few. */
async function listAt(ctx: AnyContext, question: Question): Promise<TaggedList> {
  const { type, id, at } = question
  if (at.requested !== undefined) return readList(ctx, question)
  const { db } = ctx.index
  const memory = lately(db)
  const key = `${type} ${id} ${at.block} ${at.hash}`
  const { list } = await memory.get(key, async () => ({ list: readList(ctx, question) }))
  try {
    return await list
  } catch (error) {
    memory.forget(key)
    throw error
  }
}

async function readList(ctx: AnyContext, { type, id, at }: Question): Promise<TaggedList> {
  const registry = await revocationRegistryAt(ctx.index, id, at)
  const method = ctx.statusMethods.ofRegistry(type)
  if (!registry || registry.isRemoved || method?.publish === undefined || method.ledgerKind !== registry.kind)
    throw notFound('Status list')
  const list = await method.publish({ ...ctx, publisherOf: listSigner, isUsable }, registry, at)
  if (list === undefined) throw await nothingGood(ctx, registry)
  // An older list would show credentials as valid that were revoked since.
  if (list.changedAt < registry.changedBlock)
    throw new ApiError(
      'unavailable',
      `Nobody of the policy whose keys are here can sign the list as it is since block ${registry.changedBlock}; ask with ?at=${list.changedAt} for the last one that was signed`,
    )
  const { document, mediaType } = list
  return { document, mediaType, tag: `"${createHash('sha256').update(document).digest('base64url')}"` }
}

/**
 * A registry of others has no list here (404); one of ours whose signer is gone has a list that cannot be made any
 * more.
 */
async function nothingGood({ db }: AnyContext, registry: RevocationRegistryState): Promise<ApiError> {
  if (!(await db.read('system', (reader) => isKeptHere(reader, registry)))) return notFound('Status list')
  const reason =
    'Nobody of the policy whose keys are here can sign the list, and no version of it was ever signed with a key that still counts'
  return new ApiError('unavailable', reason)
}
