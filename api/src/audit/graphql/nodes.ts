import { type Did, type DidDocument, type DidState, didKeyState } from '@accredit/chain'
import { apiDocument } from '../../dids/resolution/api-document.js'
import type { At } from '../../ledger/read/at.js'
import { countDidRights, didRightsAt, keyOfRight } from '../../ledger/read/did-rights.js'
import { didStateAt, storedDid } from '../../ledger/read/did-state.js'
import { historyOf, type Order, refuseMixedBackwards } from '../../ledger/read/history/history.js'
import type { HistoryFilter } from '../../ledger/read/history/history-filter.js'
import {
  countParticipants,
  countRegistrySchemas,
  listParticipants,
  listRegistrySchemas,
  type ParticipantFacts,
  type RegistryFacts,
} from '../../ledger/read/registries/registry-listings.js'
import { type RevocationRegistryState, statusAt } from '../../ledger/read/status-list.js'
import type { PublicContext } from '../../platform/http/context.js'
import { ledgerEvent } from '../ledger-event.shape.js'
import { type EventFilterArg, eventFilter, schemaHash } from './args.js'
import { Page, type PageArgs, pointOf } from './connection.js'

export interface EventArgs extends PageArgs {
  filter?: EventFilterArg | null
  order: Order
}

export interface ParticipantArgs extends PageArgs {
  schema?: string | null
  role?: 'issuer' | 'verifier' | null
}

type Reader = Pick<PublicContext, 'index'>

type Subject = Pick<HistoryFilter, 'trustRegistryId' | 'revocationRegistryId' | 'dids'>

/** Everything below a root field is of that field's point in time: nodes carry it. */
export function registryNode(ctx: Reader, at: At, { convener, ...facts }: RegistryFacts) {
  return {
    ...facts,
    point: pointOf(at),
    convener: didNode(ctx, at, convener),
    schemas: async (args: PageArgs) => {
      const page = new Page(args, at, ['schemas', facts.id])
      const listed = await listRegistrySchemas(ctx.index, facts.id, page.slice)
      return page.connection(
        listed,
        ({ id }) => id,
        (schema) => schema,
        () => countRegistrySchemas(ctx.index, facts.id, at),
      )
    },
    participants: (args: ParticipantArgs) => participantsOf(ctx, at, facts.id, args),
    events: (args: EventArgs) => eventsOf(ctx, at, { trustRegistryId: facts.id }, args),
  }
}

export async function participantsOf(ctx: Reader, at: At, registryId: string, args: ParticipantArgs) {
  const { schema, role } = args
  const schemaId = schemaHash(schema)
  const only = { ...(schemaId !== undefined && { schemaId }), ...(role && { role }) }
  const page = new Page(args, at, ['participants', registryId, only])
  const listed = await listParticipants(ctx.index, registryId, only, page.slice)
  return page.connection(
    listed,
    ({ did }) => did,
    participant,
    () => countParticipants(ctx.index, registryId, only, at),
  )

  function participant({ did, ...facts }: ParticipantFacts) {
    return { ...facts, did: didNode(ctx, at, did) }
  }
}

export function didNode(ctx: Reader, at: At, text: string) {
  const did = storedDid(text)
  let read: Promise<DidState | undefined> | undefined
  const state = (): Promise<DidState | undefined> => {
    read ??= didStateAt(ctx.index, did, at)
    return read
  }
  let built: Promise<DidDocument | undefined> | undefined
  const build = async (): Promise<DidDocument | undefined> => {
    const known = didKeyState(did) ?? (await state())
    return known && apiDocument(known)
  }
  return {
    id: did,
    point: pointOf(at),
    state: async () => {
      const known = await state()
      return known && { ...known, deactivated: known.deactivated ?? false, keys: known.keys.map(keyNode) }
    },
    // The value is read once, whatever the number of names that ask for it.
    document: () => {
      built ??= build()
      return built
    },
    rights: (args: PageArgs) => rightsOf(ctx, at, did, args),
    events: (args: EventArgs) => eventsOf(ctx, at, { dids: [did] }, args),
  }
}

export async function rightsOf(ctx: Reader, at: At, did: Did, args: PageArgs) {
  const page = new Page(args, at, ['rights', did])
  const listed = await didRightsAt(ctx.index, did, page.slice)
  return page.connection(
    listed,
    keyOfRight,
    (right) => ({ ...right, direct: right.via === null, since: right.since.toISOString() }),
    () => countDidRights(ctx.index, did, at),
  )
}

export async function keysOf(ctx: Reader, at: At, did: Did, args: PageArgs) {
  const page = new Page(args, at, ['keys', did])
  const { first, after } = page.slice
  const state = didKeyState(did) ?? (await didStateAt(ctx.index, did, at))
  const keys = state?.keys ?? []
  const rest = keys.filter(({ id }) => after === undefined || id > Number(after))
  const listed = { list: rest.slice(0, first), hasMore: rest.length > first }
  return page.connection(
    listed,
    ({ id }) => String(id),
    keyNode,
    async () => keys.length,
  )
}

function keyNode({ id, key, relationships }: DidState['keys'][number]) {
  return { id, kind: key.kind, publicKey: key.publicKey, relationships }
}

export function revocationRegistryNode(ctx: Reader, at: At, state: RevocationRegistryState) {
  const { registryId, policy, creator, addOnly, kind, length, isRemoved } = state
  return {
    id: registryId,
    point: pointOf(at),
    policy,
    creator,
    addOnly,
    kind,
    length,
    removed: isRemoved,
    status: async ({ index }: { index: number }) => {
      if (isRemoved || index < 0 || index >= (length ?? 0)) return null
      return (await statusAt(ctx.index, registryId, index, at))?.isSet ?? null
    },
    events: (args: EventArgs) => eventsOf(ctx, at, { revocationRegistryId: registryId }, args),
  }
}

export async function eventsOf(ctx: Reader, at: At, subject: Subject, { filter, order, ...args }: EventArgs) {
  const wanted = eventFilter(filter)
  await refuseMixedBackwards(ctx.index, wanted)
  const dids: Did[] = [...(subject.dids ?? []), ...wanted.dids]
  const asked = { ...wanted, ...subject, dids }
  const page = new Page(args, at, ['events', asked, order])
  const { first: limit, after } = page.slice
  const { total, list, next } = await historyOf(ctx.index, asked, { at, order, limit, after })
  const events = page.connection(
    { list, hasMore: next !== undefined },
    ({ id }) => id,
    (row) => ledgerEvent(row, () => undefined),
    async () => total,
  )
  return { ...events, total }
}
