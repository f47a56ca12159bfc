import { type Did, didKey, didSvc, type Hex32, hex32Of, parseAnyDid } from '@accredit/chain'
import fc from 'fast-check'

/** A small world in which everything can happen to everyone, for comparing SQL with a naive model. */
export const BLOCKS = 12

const bytes = (byte: number) => hex32Of(new Uint8Array(32).fill(byte))
export const REGISTRIES: Hex32[] = [bytes(1), bytes(2)]
export const SCHEMAS: Hex32[] = [bytes(11), bytes(12)]
const keyDid = didKey({ kind: 'Ed25519', publicKey: bytes(9) })
if (keyDid === undefined) throw new Error('an Ed25519 key makes a did:key')
/** The longer one comes first: the chain compares texts, whatever their lengths. */
const otherDids = ['did:web:aa.example', 'did:web:b.example'].flatMap((text) => parseAnyDid(text) ?? [])
/** The DIDs in the order of the chain: did:svc by bytes, then did:key, then those of other methods. */
export const DIDS: Did[] = [didSvc(bytes(3)), ...otherDids, didSvc(bytes(0xff)), didSvc(bytes(0x80)), keyDid].sort(
  byChain,
)

function byChain(a: Did, b: Did): number {
  return chainOrder(a) < chainOrder(b) ? -1 : 1
}

/** The indexer stores this as issuer_order; test DIDs have 32 equal bytes. */
export function chainOrder(did: Did): string {
  if (otherDids.includes(did)) return `0x02${Buffer.from(did).toString('hex')}`
  const known = [3, 0xff, 0x80].find((byte) => didSvc(bytes(byte)) === did)
  return known === undefined ? `0x0100${bytes(9).slice(2)}` : `0x00${bytes(known).slice(2)}`
}

export interface Interval {
  from: number
  to: number | null
}

export const holds = ({ from, to }: Interval, block: number) => from <= block && (to === null || to > block)

/** The intervals in which one fact was true: it changes at each block drawn, in turns. */
const intervals = fc.uniqueArray(fc.integer({ min: 0, max: BLOCKS }), { maxLength: 5 }).map((changes) => {
  const sorted = changes.sort((a, b) => a - b)
  const found: Interval[] = []
  for (let i = 0; i < sorted.length; i += 2) {
    const from = sorted[i]
    if (from !== undefined) found.push({ from, to: sorted[i + 1] ?? null })
  }
  return found
})

/** The same intervals, often cut in two where the fact stays true: a change of price does that to a row. */
const cutIntervals = fc.tuple(intervals, fc.integer({ min: 1, max: BLOCKS })).map(([all, cut]) =>
  all.flatMap((one) =>
    one.from < cut && (one.to === null || cut < one.to)
      ? [
          { ...one, to: cut },
          { from: cut, to: one.to },
        ]
      : [one],
  ),
)

const table = <Key>(keys: Key[], times: fc.Arbitrary<Interval[]>) =>
  fc
    .tuple(...keys.map((key) => times.map((all) => all.map((interval) => ({ ...key, ...interval })))))
    .map((all) => all.flat())

const pairs = <A, B>(left: A[], right: B[]) => left.flatMap((a) => right.map((b) => [a, b] as const))
const places = pairs(REGISTRIES, SCHEMAS).flatMap(([registry, schema]) =>
  DIDS.map((did) => ({ registry, schema, did })),
)

export type History = typeof history extends fc.Arbitrary<infer Value> ? Value : never

/** All facts that were ever true. They are independent: SQL must not rely on combinations that the chain rules out. */
export const history = fc.record({
  registries: table(
    REGISTRIES.map((registry) => ({ registry })),
    cutIntervals,
  ),
  schemas: table(
    pairs(REGISTRIES, SCHEMAS).flatMap(([registry, schema]) => [{ registry, schema }]),
    intervals,
  ).chain((rows) => fc.tuple(...rows.map((row) => fc.boolean().map((open) => ({ ...row, open }))))),
  issuers: table(places, cutIntervals),
  verifiers: table(places, intervals),
  suspensions: table(
    pairs(REGISTRIES, DIDS).map(([registry, did]) => ({ registry, did })),
    intervals,
  ),
  delegations: table(
    REGISTRIES.flatMap((registry) =>
      pairs(DIDS, DIDS).flatMap(([issuer, delegate]) => (issuer === delegate ? [] : [{ registry, issuer, delegate }])),
    ),
    intervals,
  ),
  dids: table(
    DIDS.filter((did) => did.startsWith('did:svc:')).map((did) => ({ did })),
    fc.option(fc.integer({ min: 1, max: BLOCKS })).map((to) => [{ from: 0, to }]),
  ),
})
