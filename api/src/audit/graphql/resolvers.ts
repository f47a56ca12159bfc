import { parseDid } from '@accredit/chain'
import { namedDid } from '../../dids/did-param.js'
import { type At, answerAt } from '../../ledger/read/at.js'
import { authorizationAt, type LedgerRole } from '../../ledger/read/authorization.js'
import { didStateAt } from '../../ledger/read/did-state.js'
import {
  countDids,
  countRegistries,
  countRevocationRegistries,
  listDids,
  listRegistries,
  listRevocationRegistries,
  registryFactsAt,
} from '../../ledger/read/registries/registry-listings.js'
import { revocationRegistryAt } from '../../ledger/read/status-list.js'
import { invalid } from '../../platform/errors.js'
import type { PublicContext } from '../../platform/http/context.js'
import { unknownRegistry } from '../get-authorization.js'
import { registryIdOf } from '../registry-param.js'
import { hexId, isGiven, type RegistryFilterArg, registryFilter, schemaHash } from './args.js'
import { Page, type PageArgs, pointOf } from './connection.js'
import {
  didNode,
  type EventArgs,
  eventsOf,
  keysOf,
  type ParticipantArgs,
  participantsOf,
  registryNode,
  revocationRegistryNode,
  rightsOf,
} from './nodes.js'

interface AtArg {
  at?: string | null
}

interface IdArgs extends AtArg {
  id: string
}

type OfDidArgs = PageArgs & AtArg & { did: string }

interface AuthorizationArgs extends AtArg {
  registryId: string
  did: string
  schema: string
  role: LedgerRole
}

/**
 * The point of a root field. Where root fields have different points, the headers name the last one: read `point`
 * instead.
 */
const pointFor = (ctx: PublicContext, { at }: AtArg): Promise<At> => answerAt(ctx, at ?? undefined)

/** The root fields of the schema. */
export const query = {
  point: async (args: AtArg, ctx: PublicContext) => pointOf(await pointFor(ctx, args)),

  registries: async (args: PageArgs & AtArg & { filter?: RegistryFilterArg }, ctx: PublicContext) => {
    const filter = registryFilter(args.filter)
    const at = await pointFor(ctx, args)
    const page = new Page(args, at, ['registries', filter])
    const listed = await listRegistries(ctx.index, filter, page.slice)
    return page.connection(
      listed,
      ({ id }) => id,
      (facts) => registryNode(ctx, at, facts),
      () => countRegistries(ctx.index, filter, at),
    )
  },

  registry: async (args: IdArgs, ctx: PublicContext) => {
    const at = await pointFor(ctx, args)
    const id = await registryIdOf(ctx, args.id, at)
    const facts = id && (await registryFactsAt(ctx.index, id, at))
    return facts ? registryNode(ctx, at, facts) : null
  },

  participants: async (args: ParticipantArgs & AtArg & { registryId: string }, ctx: PublicContext) => {
    const at = await pointFor(ctx, args)
    const id = await registryIdOf(ctx, args.registryId, at)
    if (id === undefined) throw invalid('There is no registry with this id or slug')
    return participantsOf(ctx, at, id, args)
  },

  dids: async (args: PageArgs & AtArg, ctx: PublicContext) => {
    const at = await pointFor(ctx, args)
    const page = new Page(args, at, ['dids'])
    const listed = await listDids(ctx.index, page.slice)
    return page.connection(
      listed,
      ({ id }) => id,
      ({ id }) => didNode(ctx, at, id),
      () => countDids(ctx.index, at),
    )
  },

  did: async (args: IdArgs, ctx: PublicContext) => {
    const at = await pointFor(ctx, args)
    const did = parseDid(args.id)
    if (did === undefined) return null
    const isThere = did.startsWith('did:key:') || (await didStateAt(ctx.index, did, at)) !== undefined
    return isThere ? didNode(ctx, at, did) : null
  },

  rights: async (args: OfDidArgs, ctx: PublicContext) => {
    const did = namedDid(args.did, 'did')
    return rightsOf(ctx, await pointFor(ctx, args), did, args)
  },

  keys: async (args: OfDidArgs, ctx: PublicContext) => {
    const did = namedDid(args.did, 'did')
    return keysOf(ctx, await pointFor(ctx, args), did, args)
  },

  revocationRegistries: async (args: PageArgs & AtArg & { creator?: string }, ctx: PublicContext) => {
    const creator = isGiven(args.creator) ? namedDid(args.creator, 'creator') : undefined
    const at = await pointFor(ctx, args)
    const page = new Page(args, at, ['revocationRegistries', creator])
    const { list, hasMore } = await listRevocationRegistries(ctx.index, creator, page.slice)
    const states = await Promise.all(list.map(({ id }) => revocationRegistryAt(ctx.index, id, at)))
    const found = states.filter((state) => state !== undefined)
    return page.connection(
      { list: found, hasMore },
      ({ registryId }) => registryId,
      (state) => revocationRegistryNode(ctx, at, state),
      () => countRevocationRegistries(ctx.index, creator, at),
    )
  },

  revocationRegistry: async (args: IdArgs, ctx: PublicContext) => {
    const at = await pointFor(ctx, args)
    const id = hexId(args.id)
    const state = id && (await revocationRegistryAt(ctx.index, id, at))
    return state ? revocationRegistryNode(ctx, at, state) : null
  },

  events: async (args: EventArgs & AtArg, ctx: PublicContext) => eventsOf(ctx, await pointFor(ctx, args), {}, args),

  authorization: async (args: AuthorizationArgs, ctx: PublicContext) => {
    const did = namedDid(args.did, 'did')
    const schemaId = schemaHash(args.schema)
    if (schemaId === undefined) throw invalid('schema is needed')
    const at = await pointFor(ctx, args)
    const registryId = await registryIdOf(ctx, args.registryId, at)
    if (registryId === undefined) return unknownRegistry(at)
    return authorizationAt(ctx.index, { registryId, schemaId, did, role: args.role, at })
  },
}
