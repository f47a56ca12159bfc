import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { type Finding, type Findings, failed } from '../formats/check.js'
import type { Recognised } from '../formats/credential-format.js'
import type { JsonObject } from '../formats/json.js'
import type { At } from '../ledger/read/at.js'
import type { Context } from '../platform/http/context.js'
import type { CheckingDoor, Signed } from '../status/status-method.js'
import { errorOf, judge } from './judgement.js'
import type { ProofDoor } from './proof-checks.js'
import { checkSigned } from './signed-checks.js'

type Distrust = CheckingDoor['distrust']

/** The tools whose use counts as the work of one request. */
type OwnTools = Pick<ProofDoor, 'tools' | 'didDocuments' | 'share'>

/** The time for which a refused document is not checked again. */
const REFUSED_MS = 10_000

/** Why documents were refused, by the team that asked and their digest: as of an instant, and of all later ones. */
const refused = new LRUCache<string, { why: string | undefined; from: number; until: number }>({ max: 1_000 })

/**
 * The reasons that lie in the document itself, or in an end on the ledger. A document refused for any other reason,
 * such as a missing context or key, may be good a moment later.
 */
const LASTING: ReadonlySet<string | undefined> = new Set([
  'malformed',
  'invalid_context',
  'unmapped_term',
  'relative_id',
  'unreadable_date',
  'expired',
  'unsupported_proof',
  'unsupported_cryptosuite',
  'wrong_purpose',
  'invalid_signature',
  'not_the_issuer',
  'key_revoked',
  'key_retired',
])

/**
 * Returns the check of signed documents that stand elsewhere: within the limits of any credential, by proofs of which
 * each holds. What was refused is remembered for the team that asked, so that asking again costs nothing.
 */
export function distrustOf(ctx: Context, own: OwnTools): Distrust {
  return async (document, by, at, signed) => {
    const key = `${ctx.team} ${by} ${digestOf(document)}`
    const now = ctx.clock.now().getTime()
    const known = refused.get(key)
    const from = at.instant.getTime()
    if (known && known.until > now && known.from <= from) return known.why
    const read = signed ?? signedIn(ctx.formats.recognise(document))
    const findings = 'wrong' in read ? { structure: read.wrong } : await findingsOf(ctx, own, read, { by, at })
    // Each of these checks is always required: one that failed gives a reason.
    const why = errorOf(judge(findings))
    if (isLasting(findings)) refused.set(key, { why, from, until: now + REFUSED_MS })
    return why
  }
}

function signedIn(recognised: Recognised): Signed | { wrong: Finding } {
  if (recognised.wrong) return { wrong: recognised.wrong }
  if (recognised.kind === 'presentation') return { wrong: failed('malformed', 'it is a presentation') }
  return { dates: recognised.claims.dates, proofs: recognised.proofs }
}

async function findingsOf(
  ctx: Context,
  own: OwnTools,
  signed: Signed,
  { by, at }: { by: string; at: At },
): Promise<Findings> {
  const { findings } = await checkSigned({ ...ctx, ...own }, signed, { ownerOf: () => by, at, untilFailed: true })
  return findings
}

const isLasting = (findings: Findings): boolean =>
  Object.values(findings).some(({ passed, reason }) => passed === false && LASTING.has(reason))

const digestOf = (document: string | JsonObject): string =>
  createHash('sha256').update(JSON.stringify(document)).digest('base64')
