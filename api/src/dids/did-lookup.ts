import { type Did, didKeyOf, parseDid } from '@accredit/chain'
import { sql } from 'kysely'
import type { Reader } from '../platform/database/database.js'
import { ApiError, invalid } from '../platform/errors.js'
import { ownDid } from './did.store.js'

/** A DID of a method that the ledger knows, or 400 that says what is wrong with the text. */
export function readDid(text: string, field: string): Did {
  const did = parseDid(text.trim())
  if (did !== undefined) return did
  const method = /^did:([a-z0-9]+):./.exec(text.trim())?.[1]
  if (method === undefined) throw invalid(`${field} is not a DID`)
  if (method === 'svc' || method === 'key') throw invalid(`${field} is not a well-formed did:${method}`)
  throw new ApiError(
    'did_method_not_supported',
    `${field}: DIDs of the method ${method.slice(0, 32)} cannot act here; did:svc and did:key can`,
  )
}

export const isDidKey = (did: Did): boolean => didKeyOf(did) !== undefined

/** Whether the ledger has the DID and it was not deactivated. */
async function isActiveOnLedger(reader: Reader, did: string): Promise<boolean> {
  return exists(reader, sql`select from ledger.did where did = ${did} and to_block is null`)
}

/** Whether the ledger ever had the DID, or the reader's teams have it. */
export async function isTaken(reader: Reader, did: string): Promise<boolean> {
  return exists(
    reader,
    sql`select from dids where did = ${did} and status <> 'failed' union all select from ledger.did where did = ${did}`,
  )
}

/** Whether the DID convenes a registry, or will when what was accepted is on the ledger. */
export async function convenes(reader: Reader, did: string): Promise<boolean> {
  return exists(
    reader,
    sql`select from ledger.trust_registry where convener = ${did} and to_block is null
      union all select from trust_registries where convener = ${did} and state = 'pending'`,
  )
}

/** A DID that may become a controller: a did:key, or one that is active on the ledger or on its way there as the caller's. */
export async function readController(reader: Reader, text: string): Promise<Did> {
  const did = readDid(text, 'controller')
  if (isDidKey(did) || (await isActiveOnLedger(reader, did)) || (await ownDid(reader, did)) !== undefined) return did
  throw invalid('controller is not an active DID')
}

async function exists(reader: Reader, rows: ReturnType<typeof sql>): Promise<boolean> {
  const result = await sql<{ found: boolean }>`select exists (${rows}) as found`.execute(reader)
  return result.rows[0]?.found ?? false
}
