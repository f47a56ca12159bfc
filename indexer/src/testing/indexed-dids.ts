import { didToHex, parseDid } from '@accredit/chain'
import type { IndexRows } from './index-rows'
import { grouped, type Storage } from './storage'

const CAPABILITY_INVOCATION = 4

/** Returns the storage of pallet `Did` that follows from the index. */
export async function indexedDids(index: IndexRows): Promise<Storage> {
  const created = await index.select<{ did: string }>('SELECT did FROM ledger.did WHERE from_block <= $1')
  const active = new Set((await index.rows('did')).map(({ did }) => did))
  const [keys, controllers, services] = [
    await index.rows('did_key'),
    await index.rows('did_controller'),
    await index.rows('did_service'),
  ]
  const last = await index.select<{ did: string; last: number }>(
    'SELECT did, max(key_id) AS last FROM ledger.did_key WHERE from_block <= $1 GROUP BY did',
  )
  const lastKeys = new Map(last.map((row) => [row.did, row.last]))
  const keysOf = grouped(keys, ({ did }) => did)
  const stateOf = (did: string) => {
    const own = keysOf.get(did) ?? []
    const controls = own.filter((key) => key.kind === 'Ed25519' && (key.relationships & CAPABILITY_INVOCATION) !== 0)
    return {
      lastKey: lastKeys.get(did) ?? 0,
      keys: own.length,
      controlKeys: controls.length,
      controllers: controllers.filter((row) => row.did === did).length,
      services: services.filter((row) => row.did === did).length,
    }
  }
  return {
    'Did.Dids': Object.fromEntries(
      created.map(({ did }) => [hex(did), active.has(did) ? { Active: stateOf(did) } : 'Deactivated']),
    ),
    'Did.Keys': Object.fromEntries(
      keys.map((row) => [
        `${hex(row.did)} ${row.key_id}`,
        { key: { [row.kind]: row.public_key }, relationships: row.relationships },
      ]),
    ),
    'Did.Controllers': Object.fromEntries(controllers.map((row) => [`${hex(row.did)} ${row.controller}`, null])),
    'Did.RevokedKeys': await revokedKeys(index),
    'Did.Services': Object.fromEntries(
      services.map((row) => [`${hex(row.did)} ${row.service_id}`, { serviceType: row.type, endpoints: row.endpoints }]),
    ),
  }
}

/** The keys that were revoked up to the block, which the ledger remembers as long as it has the DID. */
async function revokedKeys(index: IndexRows): Promise<Storage[string]> {
  const revoked = await index.select<{ did: string; keys: number[] }>(
    `SELECT k.did, array_agg(k.key_id ORDER BY k.key_id) AS keys FROM ledger.did_key k
     JOIN ledger.did d ON d.did = k.did AND (d.to_block IS NULL OR d.to_block > $1)
     WHERE k.revoked_block <= $1 GROUP BY k.did`,
  )
  return Object.fromEntries(revoked.map(({ did, keys }) => [hex(did), keys]))
}

/** Returns the storage of pallet `Did` that has no past in the index: of the newest block only. */
export async function newestDids(index: IndexRows): Promise<Storage> {
  const nonces = await index.select<{ id: string; nonce: number }>('SELECT id, nonce FROM ledger.nonce WHERE $1 >= 0')
  return { 'Did.Nonces': Object.fromEntries(nonces.map(({ id, nonce }) => [id, nonce])) }
}

function hex(did: string): string {
  const parsed = parseDid(did)
  const found = parsed && didToHex(parsed)
  if (found === undefined) throw new TypeError(`no DID of the ledger: ${did}`)
  return found
}
