import { KEY_LENGTHS, type KeyKind } from '@accredit/chain'
import { type Hex32, hex32Of } from '@accredit/chain/bytes'
import { didSvc, didToHex } from '@accredit/chain/did'
import fc from 'fast-check'
import { type Hex, hexOf } from '../../../../chain/client/src/proof/bytes.js'
import { CHUNK_BITS } from '../../../../chain/client/src/proof/ledger-values.js'
import { stateEntry } from '../../../../chain/client/src/proof/testing/runtime-types.js'
import { sampleLayouts } from '../../../../chain/client/src/proof/testing/sample-ledger.js'
import { BLOCKS, holds, type Interval } from './random-history.js'
import type { TestIndex } from './test-index.js'

type Entry = ReturnType<typeof stateEntry>

const bytes = (byte: number): Hex32 => hex32Of(new Uint8Array(32).fill(byte))
export const DID = didSvc(bytes(3))
export const REGISTRY = bytes(1)
export const LIST = bytes(2)
/** At both ends of bytes and of the pieces in which the ledger keeps a list. */
export const INDEXES = [0, 7, 8, CHUNK_BITS - 1, CHUNK_BITS, 131_071]
export const LENGTH = 131_072
const SCHEMAS = [bytes(11), bytes(12)]
/** The first may be deactivated while it is listed. */
const LISTED = [DID, didSvc(bytes(60)), didSvc(bytes(61))]

/** A life that begins at a block and may end later. */
const life = fc
  .tuple(fc.integer({ min: 1, max: BLOCKS }), fc.option(fc.integer({ min: 1, max: BLOCKS })))
  .map(([from, lasts]): Interval => ({ from, to: lasts === null ? null : from + lasts }))

const key = fc.record({
  life,
  kind: fc.constantFrom<KeyKind[]>('Ed25519', 'X25519', 'Secp256k1', 'Bls12381G2'),
  relationships: fc.integer({ min: 0, max: 15 }),
  /** The number of blocks after its end at which it is revoked, retired up to then; null: never. */
  revokedAfter: fc.option(fc.integer({ min: 0, max: 4 })),
})

const right = fc.record({
  life,
  role: fc.constantFrom('issuer' as const, 'verifier' as const),
  schema: fc.constantFrom(...SCHEMAS.keys()),
  did: fc.constantFrom(...LISTED),
})

/** The lives of one DID, one trust registry and one status list, with all that happened to them. */
export const facts = fc.record({
  did: life,
  keys: fc.array(key, { maxLength: 6 }),
  controllers: fc.array(life, { maxLength: 4 }),
  services: fc.array(life, { maxLength: 4 }),
  registry: life,
  /** The blocks in which the registry was renamed. */
  renamed: fc.uniqueArray(fc.integer({ min: 1, max: BLOCKS }), { maxLength: 4 }),
  /** The schemas of the registry, and who is listed in them. */
  schemas: fc.tuple(life, life),
  rights: fc.uniqueArray(right, { selector: ({ role, schema, did }) => `${role} ${schema} ${did}`, maxLength: 8 }),
  list: life,
  bits: fc.uniqueArray(fc.tuple(fc.constantFrom(...INDEXES), life), { selector: ([index]) => index, maxLength: 6 }),
})
type Facts = typeof facts extends fc.Arbitrary<infer Value> ? Value : never

/** Returns what there is of a life within another one; undefined where nothing is. */
function within(outer: Interval, inner: Interval): Interval | undefined {
  const from = Math.max(outer.from, inner.from)
  const to = Math.min(outer.to ?? Number.POSITIVE_INFINITY, inner.to ?? Number.POSITIVE_INFINITY)
  return from < to ? { from, to: Number.isFinite(to) ? to : null } : undefined
}

interface KeyEnd {
  end_reason: 'retired' | 'revoked' | 'deactivated' | null
  revoked_block: number | null
}

/** The ledger has no keys of a DID that is deactivated, and none of them can be revoked. */
function endOf({ to }: Interval, did: Interval, revokedAfter: number | null): KeyEnd {
  if (to === null) return { end_reason: null, revoked_block: null }
  if (to === did.to) return { end_reason: 'deactivated', revoked_block: null }
  const revoked = revokedAfter === null ? undefined : within(did, { from: to + revokedAfter, to: null })
  return revoked === undefined || revoked.from > BLOCKS
    ? { end_reason: 'retired', revoked_block: null }
    : { end_reason: 'revoked', revoked_block: revoked.from }
}

/** The keys by their numbers, from 1 on, which follow the order in which they were added. */
function keysOf({ did, keys }: Facts) {
  const lived = keys.flatMap((made) => {
    const own = within(did, made.life)
    if (own === undefined) return []
    return [{ ...made, ...own, ...endOf(own, did, made.revokedAfter) }]
  })
  return lived
    .sort((a, b) => a.from - b.from)
    .map((one, at) => ({ ...one, number: at + 1, publicKey: keyBytes(one.kind, at + 1) }))
}

const keyBytes = (kind: KeyKind, byte: number): Hex => hexOf(new Uint8Array(KEY_LENGTHS[kind]).fill(byte))

function versionsOf({ registry, renamed }: Facts) {
  const begun = [...new Set([registry.from, ...renamed])].sort((a, b) => a - b)
  return begun.flatMap((from, at) => {
    const own = within(registry, { from, to: begun[at + 1] ?? null })
    return own && own.from === from
      ? [{ ...own, version: at + 1, name: `Name ${from}`, governance: `https://x/${at}` }]
      : []
  })
}

const times = ({ from, to }: Interval) => ({ from_block: from, to_block: to })

const schemasOf = ({ registry, schemas }: Facts) =>
  schemas.flatMap((lived, at) => {
    const own = within(registry, lived)
    return own ? [{ ...own, schema: SCHEMAS[at] ?? '' }] : []
  })

/** The rights in schemas, as long as the registry has these. */
const rightsOf = (made: Facts) =>
  made.rights.flatMap(({ life, role, schema, did }) => {
    const place = schemasOf(made).find((one) => one.schema === SCHEMAS[schema])
    const own = place && within(place, life)
    return own ? [{ ...own, role, schema: place.schema, did }] : []
  })

/** Writes facts into an index, in place of what it told before. */
export async function storeFacts(ledger: TestIndex, made: Facts): Promise<void> {
  await ledger.clear()
  await ledger.row('did', { ...times(made.did), did: DID, submitter: '' })
  for (const { number, kind, publicKey, relationships, end_reason, revoked_block, ...lived } of keysOf(made)) {
    const own = { did: DID, key_id: number, kind, public_key: publicKey, relationships, end_reason, revoked_block }
    await ledger.row('did_key', { ...times(lived), ...own })
  }
  for (const [at, lived] of livedOf(made, made.controllers).entries())
    await ledger.row('did_controller', { ...times(lived), did: DID, controller: didSvc(bytes(50 + at)) })
  for (const [at, lived] of livedOf(made, made.services).entries())
    await ledger.row('did_service', { ...times(lived), did: DID, type: 'Files', service_id: `s${at}`, endpoints: [] })
  for (const { version, name, governance, ...lived } of versionsOf(made)) {
    const own = { registry_id: REGISTRY, convener: DID, pending_convener: null }
    await ledger.row('trust_registry', { ...times(lived), ...own, name, gov_framework: governance, version })
  }
  for (const { schema, ...lived } of schemasOf(made))
    await ledger.row('registry_schema', {
      ...times(lived),
      registry_id: REGISTRY,
      schema_id: schema,
      is_public: false,
    })
  for (const { role, schema, did, ...lived } of rightsOf(made)) {
    const own = { ...times(lived), registry_id: REGISTRY, schema_id: schema, did }
    if (role === 'issuer') await ledger.row('issuer', { ...own, prices: {} })
    else await ledger.row('verifier', own)
  }
  const list = { policy: [DID], creator: DID, add_only: false, kind: 'StatusList' as const, length: LENGTH, version: 1 }
  await ledger.row('revocation_registry', { ...times(made.list), registry_id: LIST, ...list })
  for (const [index, lived] of bitsOf(made))
    await ledger.row('status_bit', { ...times(lived), registry_id: LIST, index })
}

const livedOf = ({ did }: Facts, lives: readonly Interval[]): Interval[] =>
  lives.flatMap((one) => within(did, one) ?? [])

const bitsOf = ({ list, bits }: Facts): [index: number, lived: Interval][] =>
  bits.flatMap(([index, lived]) => {
    const own = within(list, lived)
    return own ? [[index, own]] : []
  })

/** Returns the state of the ledger after a block of such lives, as the runtime keeps it. */
export function stateOf(made: Facts, block: number): Map<Entry[0], Entry[1]> {
  return new Map([
    ...sampleLayouts(),
    ...didEntries(made, block),
    ...registryEntries(made, block),
    ...listEntries(made, block),
  ])
}

/** A tombstone stays of what has ended, and nothing is there before it began. */
const stageOf = ({ from, to }: Interval, block: number): 'none' | 'active' | 'ended' =>
  block < from ? 'none' : to !== null && to <= block ? 'ended' : 'active'

function didEntries(made: Facts, block: number): Entry[] {
  const id = didToHex(DID)
  const stage = stageOf(made.did, block)
  if (stage !== 'active') return stage === 'none' ? [] : [stateEntry('did.dids', [id], 'Deactivated')]
  const known = keysOf(made).filter(({ from }) => from <= block)
  const used = known.filter((one) => holds(one, block))
  const revoked = known.filter(({ revoked_block: from }) => from !== null && from <= block)
  const count = (lives: readonly Interval[]) => livedOf(made, lives).filter((one) => holds(one, block)).length
  const counts = {
    lastKey: known.length,
    keys: used.length,
    controlKeys: used.filter(({ relationships }) => (relationships & 4) !== 0).length,
    controllers: count(made.controllers),
    services: count(made.services),
  }
  return [
    stateEntry('did.dids', [id], { Active: counts }),
    stateEntry(
      'did.revokedKeys',
      [id],
      revoked.map(({ number }) => number),
    ),
    ...used.map(({ number, kind, publicKey, relationships }) =>
      stateEntry('did.keys', [id, number], { key: { [kind]: publicKey }, relationships }),
    ),
  ]
}

function registryEntries(made: Facts, block: number): Entry[] {
  const stage = stageOf(made.registry, block)
  const now = versionsOf(made).find((one) => holds(one, block))
  if (stage === 'none') return []
  const rights = rightsOf(made).filter((one) => holds(one, block))
  const listed = (role: 'issuer' | 'verifier') =>
    new Set(rights.flatMap((one) => (one.role === role ? [one.did] : []))).size
  // As `check_entries` and `check_registries` of the pallet count them.
  const counts = {
    schemas: schemasOf(made).filter((one) => holds(one, block)).length,
    entries: new Set(rights.map(({ schema, did }) => `${schema} ${did}`)).size,
    issuers: listed('issuer'),
    verifiers: listed('verifier'),
  }
  const registry = now && {
    convener: { Svc: didToHex(DID) },
    name: hexOf(new TextEncoder().encode(now.name)),
    govFramework: hexOf(new TextEncoder().encode(now.governance)),
    version: now.version,
    ...counts,
  }
  return [stateEntry('trustRegistry.registries', [REGISTRY], registry ? { Active: registry } : 'Removed')]
}

function listEntries(made: Facts, block: number): Entry[] {
  const stage = stageOf(made.list, block)
  if (stage !== 'active') return stage === 'none' ? [] : [stateEntry('revocation.registries', [LIST], 'Removed')]
  const list = {
    policy: [{ Svc: didToHex(DID) }],
    addOnly: false,
    kind: { StatusList: { length: LENGTH } },
    version: 1,
  }
  const set = bitsOf(made).flatMap(([index, lived]) => (holds(lived, block) ? [index] : []))
  const chunks = [...new Set(set.map(chunkNumberOf))]
  return [
    stateEntry('revocation.registries', [LIST], { Active: list }),
    ...chunks.map((chunk) =>
      stateEntry('revocation.chunks', [LIST, chunk], chunkOf(set.filter((index) => chunkNumberOf(index) === chunk))),
    ),
  ]
}

const chunkNumberOf = (index: number): number => Math.floor(index / CHUNK_BITS)

function chunkOf(indexes: readonly number[]): Hex {
  const piece = new Uint8Array(CHUNK_BITS / 8)
  for (const index of indexes.map((one) => one % CHUNK_BITS))
    piece[index >> 3] = (piece[index >> 3] ?? 0) | (0x80 >> (index & 7))
  return hexOf(piece)
}
