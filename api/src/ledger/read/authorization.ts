import type { Did } from '@accredit/chain'
import { sql } from 'kysely'
import { batchLoaderBy, inOrderOfQuestions } from '../../platform/process/batch-loader.js'
import { answersByBlock } from './answers-by-block.js'
import type { At } from './at.js'
import { byKey, type IndexReader } from './index-db.js'

export type LedgerRole = 'issuer' | 'verifier'

export const AUTHORIZATION_REASONS = [
  'direct',
  'delegated',
  'public_schema',
  'suspended',
  'delegator_suspended',
  'deactivated',
  'not_listed',
  'unknown_registry',
  'unknown_schema',
] as const

export type AuthorizationReason = (typeof AUTHORIZATION_REASONS)[number]

export interface AuthorizationQuestion {
  /** The registry's id: 0x and 64 hex digits, lower case. */
  registryId: string
  /** The schema's hash, in the same form. */
  schemaId: string
  did: Did
  role: LedgerRole
  /** Only where the block's hash is named can a kept answer be known to be of this block, and not of another fork. */
  at: Pick<At, 'block' | 'time'> & Partial<Pick<At, 'hash'>>
}

export interface Authorization {
  authorized: boolean
  reason: AuthorizationReason
  /** The issuer that delegated: the lowest one, as the chain orders DIDs, through whom it is allowed. */
  via?: string
  /** The time in ISO 8601 at which the last of the facts came true that the reason rests on. */
  since?: string
  /** The event that caused the reason: `<block>-<index>`. */
  event?: string
  /** The verdict in one sentence, for people. */
  explanation: string
  block: number
  time: string
}

interface Row {
  n: string
  /** The hash of the block that the index had at this height when it answered. */
  hash: string | null
  authorized: boolean
  reason: AuthorizationReason
  via: string | null
  since: Date | null
  event: string | null
}

/** The answers kept in memory, about 500 bytes each. */
const MOST_KEPT = 50_000

const answers = answersByBlock<Authorization>({ answers: MOST_KEPT })

/**
 * Tells whether a DID may issue or verify a schema in a registry at a point in time. The only copy of the rule (ledger
 * design: the schema must exist; listed, delegated by a listed issuer, or a public schema; never suspended or
 * deactivated) is the SQL function `ledger.authorization_at`, beside the tables that it reads.
 */
export async function authorizationAt(
  { db }: { db: IndexReader },
  question: AuthorizationQuestion,
): Promise<Authorization> {
  const { registryId, schemaId, did, role, at } = question
  return answers(db, at, `${registryId} ${schemaId} ${role} ${did}`, async () => {
    const row = await answerOf(db, { registryId, schemaId, did, role, block: at.block })
    return { answer: answerFrom(row, question), hash: row.hash }
  })
}

function answerFrom(row: Row, { did, role, at }: AuthorizationQuestion): Authorization {
  const facts = {
    authorized: row.authorized,
    reason: row.reason,
    ...(row.via !== null && { via: row.via }),
    ...(row.since !== null && { since: row.since.toISOString() }),
    ...(row.event !== null && { event: row.event }),
  }
  return { ...facts, explanation: explained(facts, { did, role }), block: at.block, time: at.time.toISOString() }
}

interface Asked extends Omit<AuthorizationQuestion, 'at'> {
  block: number
}

/** Many at once are one statement: every verifier asks this question. */
const answerOf = batchLoaderBy(
  async (db: IndexReader, asked: Asked[]): Promise<Row[]> => {
    const column = (name: keyof Asked) => asked.map((question) => question[name])
    const { rows } = await sql<Row>`
      select q.n, a.authorized, a.reason, a.via, b.time as since, a.event,
        (select p.hash from ledger.block p where p.height = q.block) as hash
      from unnest(${column('registryId')}::text[], ${column('schemaId')}::text[], ${column('did')}::text[], ${column('role')}::text[],
          ${column('block')}::int[]) with ordinality q (registry, schema, did, role, block, n)
        cross join lateral ledger.authorization_at(q.registry, q.schema, q.did, q.role, q.block) a
        left join ledger.block b on b.height = a.since`.execute(byKey(db))
    return inOrderOfQuestions(rows)
  },
  { running: 1, most: 100 },
)

type Facts = Pick<Authorization, 'reason' | 'via' | 'since' | 'event'>

/** Explains a verdict in one sentence: the reason, the time and the event. */
function explained({ reason, via, since, event }: Facts, { did, role }: { did: string; role: LedgerRole }): string {
  const act = role === 'issuer' ? 'issue' : 'verify'
  const why: Record<AuthorizationReason, string> = {
    direct: `${did} may ${act} this schema, for the registry lists it as ${role}`,
    delegated: `${did} may issue this schema as a delegate of ${via}, whom the registry lists as issuer`,
    public_schema: `${did} may verify this schema, for the registry opened it to everybody`,
    suspended: `${did} may not ${act} this schema, for the registry suspended it`,
    delegator_suspended: `${did} may not issue this schema, for every issuer that delegated to it is suspended or deactivated`,
    deactivated: `${did} may not ${act} this schema, for the DID is deactivated`,
    not_listed: `${did} may not ${act} this schema, for the registry ${since === undefined ? 'never listed it' : 'lists it no more'} as ${role}${role === 'issuer' ? ', nor a delegate of one' : ''}`,
    unknown_registry: since === undefined ? 'There is no such registry' : 'The registry was removed',
    unknown_schema: since === undefined ? 'The registry never had this schema' : 'The registry removed this schema',
  }
  return `${why[reason]}${since === undefined ? '' : `, since ${since}`}${event === undefined ? '' : ` by event ${event}`}.`
}
