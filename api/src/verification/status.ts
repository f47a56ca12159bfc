import { parseDid } from '@accredit/chain'
import { type Finding, failed, NOT_APPLICABLE, passed, unavailable } from '../formats/check.js'
import type { Claims } from '../formats/credential-format.js'
import { isObject, type Json, quoted } from '../formats/json.js'
import type { At } from '../ledger/read/at.js'
import { controllersAt } from '../ledger/read/did-state.js'
import type { OperationServices } from '../platform/http/context.js'
import { type Asked, type CheckingDoor, MOST_STATUSES } from '../status/status-method.js'

export type StatusDoor = CheckingDoor & Pick<OperationServices, 'statusMethods'>

export interface StatusQuestion {
  /** A status that was had from its keeper longer ago is none; undefined: as long ago as we ourselves allow. */
  maxStatusAgeSeconds: number | undefined
}

/** Checks that a credential is neither revoked nor suspended: all its status entries must be known and clear. */
export async function statusCheck(
  door: StatusDoor,
  claims: Claims,
  question: StatusQuestion,
  at: At,
): Promise<Finding> {
  const entries = claims.statuses
  if (entries.length === 0) return NOT_APPLICABLE
  if (entries.length > MOST_STATUSES) return failed('malformed', `it has more than ${MOST_STATUSES} status entries`)
  const asked = await askedOf(door, claims, question, at)
  const told: Finding[] = []
  for (const entry of entries) {
    const finding = await entryCheck(door, entry, asked)
    if (finding.passed !== true) return finding
    if (finding.reason !== undefined) told.push(finding)
  }
  return passed({ block: at.block, ...together(told) })
}

/** Joins the words of entries that take nothing from a credential. */
function together(told: readonly Finding[]): Pick<Finding, 'reason' | 'explanation'> {
  const reason = told[0]?.reason
  if (reason === undefined) return {}
  return { reason, explanation: told.map(({ explanation }) => explanation).join('; ') }
}

async function askedOf({ index }: StatusDoor, claims: Claims, question: StatusQuestion, at: At): Promise<Asked> {
  const text = claims.issuer ?? ''
  const issuer = parseDid(text)
  const controllers = issuer === undefined ? [] : await controllersAt(index, issuer, at)
  const { maxStatusAgeSeconds: seconds } = question
  const maxAgeMs = seconds === undefined ? Number.POSITIVE_INFINITY : seconds * 1000
  return {
    id: claims.id,
    issuer,
    keepers: new Set([text, ...controllers]),
    at,
    maxAgeMs,
    isDerived: claims.isDerived,
  }
}

async function entryCheck(door: StatusDoor, entry: Json, asked: Asked): Promise<Finding> {
  if (!isObject(entry)) return failed('malformed', 'a status entry is no object')
  const method = door.statusMethods.ofEntry(entry)
  return method === undefined
    ? unavailable(`status entries of type ${quoted(entry.type)} cannot be checked here`)
    : method.check(door, entry, asked)
}
