import { gunzipSync, inflateSync } from 'node:zlib'
import { chainTypes } from '@accredit/chain'
import type { Request } from '../../support/requests.js'
import { claimsOf } from './forms.js'

/** The indexes that are revoked in a registry, ascending, by one source. */
export type Indexes = readonly number[]

/** Returns the numbers of the entries that are not 0, in bytes of which the first entry stands at the given end. */
function setIn(bytes: Uint8Array, bits: number, first: 'high' | 'low'): Indexes {
  const perByte = 8 / bits
  const mask = 2 ** bits - 1
  return [...bytes.entries()].flatMap(([at, byte]) => {
    if (byte === 0) return []
    const places = Array.from({ length: perByte }, (_, place) => place)
    const shiftOf = (place: number) => bits * (first === 'low' ? place : perByte - 1 - place)
    return places.filter((place) => (byte >> shiftOf(place)) & mask).map((place) => at * perByte + place)
  })
}

/** Returns the indexes that are set in a list as it is published: base64url of gzip. */
export const indexesIn = (encodedList: string): Indexes =>
  setIn(gunzipSync(Buffer.from(encodedList, 'base64url')), 1, 'high')

/** Reads the published lists of a registry, in each of their forms. */
export async function publishedIn(request: Request, registry: string): Promise<Record<string, Indexes>> {
  const get = async (form: string) => {
    const { status, body } = await request('GET', `/status-lists/${registry}${form}`)
    if (status !== 200) throw new Error(`${form || 'the list'} is answered with ${status}: ${JSON.stringify(body)}`)
    return body
  }
  const [list, bitstring, token] = [await get(''), await get('/bitstring'), claimsOf(await get('/token')).status_list]
  return {
    statusList: indexesIn(list.credentialSubject.encodedList),
    // The first letter names the alphabet.
    bitstring: indexesIn(bitstring.credentialSubject.encodedList.slice(1)),
    token: setIn(inflateSync(Buffer.from(token?.lst ?? '', 'base64url')), token?.bits ?? 1, 'low'),
  }
}

const CHUNK_BITS = 2048
const PAGE = 500

/** Reads the bits of a registry in the ledger's own state. */
export async function onLedger(ledgerUrl: string, registry: string): Promise<Indexes> {
  const ask = (method: string, ...params: unknown[]) => askLedger(ledgerUrl, method, params)
  const keyOf = (chunk: number) => chainTypes().storageKey('revocation', 'chunks', `0x${registry}`, chunk)
  // A key ends with the hash (8 bytes) and the number (4) of its chunk.
  const prefix = keyOf(0).slice(0, -24)
  const keys: string[] = []
  for (let page: unknown = []; keys.length === 0 || (Array.isArray(page) && page.length === PAGE); ) {
    page = await ask('state_getKeysPaged', prefix, PAGE, keys.at(-1) ?? null)
    if (!Array.isArray(page)) throw new TypeError('the ledger gave no keys')
    if (page.length === 0) break
    keys.push(...page)
  }
  const chunks = await Promise.all(keys.map(async (key) => ({ key, bits: String(await ask('state_getStorage', key)) })))
  return chunks
    .flatMap(({ key, bits }) => {
      const chunk = Buffer.from(key.slice(-8), 'hex').readUInt32LE()
      return setIn(Buffer.from(bits.slice(2), 'hex'), 1, 'high').map((index) => chunk * CHUNK_BITS + index)
    })
    .sort((a, b) => a - b)
}

async function askLedger(url: string, method: string, params: unknown[]): Promise<unknown> {
  const answer = await fetch(url.replace('ws:', 'http:'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = (await answer.json()) as { result?: unknown; error?: unknown }
  if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`)
  return result
}

/** The history of a registry: what each change revoked and unrevoked, and the version that it made. */
export interface Change {
  revoked: Indexes
  unrevoked: Indexes
  version: number
}

export async function changesIn(request: Request, registry: string): Promise<Change[]> {
  const { status, body } = await request('GET', `/registries/${registry}/history?order=asc`, undefined, {
    accept: 'application/x-ndjson',
  })
  if (status !== 200) throw new Error(`the history is answered with ${status}: ${JSON.stringify(body)}`)
  const lines = (typeof body === 'string' ? body.trim().split('\n') : [JSON.stringify(body)]).map((line) =>
    JSON.parse(line),
  )
  return lines
    .filter(({ event }) => event === 'Revocation.StatusChanged' || event === 'Revocation.AccumulatorUpdated')
    .map(({ after: { revoked, unrevoked, removals, additions, version } }) => ({
      revoked: revoked ?? removals,
      unrevoked: unrevoked ?? additions,
      version,
    }))
}

/** Replays changes: the ledger names only what changed, each version once. */
export function replayed(changes: readonly Change[]): { set: Indexes; flips: ReadonlyMap<number, number> } {
  const set = new Set<number>()
  const flips = new Map<number, number>()
  for (const [at, { revoked, unrevoked, version }] of changes.entries()) {
    if (version !== at + 1) throw new Error(`change ${at + 1} made version ${version}`)
    for (const index of revoked) if (set.has(index)) throw new Error(`${index} was revoked twice`)
    for (const index of unrevoked)
      if (!set.delete(index)) throw new Error(`${index} was unrevoked, and was not revoked`)
    for (const index of revoked) set.add(index)
    for (const index of [...revoked, ...unrevoked]) flips.set(index, (flips.get(index) ?? 0) + 1)
  }
  return { set: [...set].sort((a, b) => a - b), flips }
}
