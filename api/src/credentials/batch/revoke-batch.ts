import { Type } from 'typebox'
import { JobStarted } from '../../jobs/job.shape.js'
import { jobStarted, NO_JOB } from '../../ledger/write/wait-for-job.js'
import type { Tx } from '../../platform/database/database.js'
import { ApiError, invalid } from '../../platform/errors.js'
import type { Context } from '../../platform/http/context.js'
import { CredentialId, parseCredentialId } from '../../platform/http/identifiers.js'
import { operation } from '../../platform/http/operation.js'
import { findOwnRegistry } from '../../revocation/registry.store.js'
import { actingFor, changeStatus, nobodyActs, type StatusChange } from '../../revocation/registry-actions.js'
import { findRegistry } from '../../status/registry.store.js'
import { revocationIdOf } from '../../status/revocation-id.js'
import { removedRegistry, requirePlaces } from '../change-status.js'
import { ROWS_MAX } from './batch-limits.js'
import { type PlacesOfId, placesOfIds } from './places-of-ids.js'

const REVOKE_BYTES = 4 * 1024 * 1024

export const revokeBatch = operation({
  method: 'POST',
  url: '/credentials/batch/revoke',
  operationId: 'revokeBatch',
  tags: ['credentials'],
  summary: 'Revoke many credentials',
  description: `1 to ${ROWS_MAX} ids, as \`{ "credentialIds": [...] }\` or one a line, each as a JSON text, as \`application/x-ndjson\`; each with the effect of POST /credentials/{id}/revoke: every credential of yours with that id is revoked, or none of them, and an id that cannot be revoked is refused alone. The credentials of a registry are revoked in as few ledger actions as it takes; the job has ended when all of them are final. Where none can be revoked there is nothing to wait for, and the job is 0.`,
  auth: 'key',
  role: 'member',
  ledgerWrite: true,
  tenancy: 'owned',
  input: 'deciding',
  bodyTypes: ['application/x-ndjson'],
  linesAre: 'credentialIds',
  limits: { bodyBytes: REVOKE_BYTES },
  body: Type.Object({
    credentialIds: Type.Array(CredentialId, {
      minItems: 1,
      maxItems: ROWS_MAX,
      description: 'Ids of credentials of yours',
    }),
  }),
  examples: {
    'Two credentials': {
      credentialIds: ['urn:uuid:3f2504e0-4f89-41d3-9a0c-0305e82c3301', 'urn:uuid:3f2504e0-4f89-41d3-9a0c-0305e82c3302'],
    },
  },
  response: {
    200: Type.Object({
      id: JobStarted.properties.id,
      data: Type.Object(
        {
          total: Type.Integer({ description: 'The number of ids' }),
          refused: Type.Array(
            Type.Object({
              row: Type.Integer({ description: 'Its place in credentialIds, from 1' }),
              status: Type.Integer({ description: 'The status that its own request would have' }),
              type: Type.String({ description: 'A type of the error catalogue' }),
              message: Type.String({ description: 'The reason' }),
            }),
            { description: 'The ids that are not revoked' },
          ),
        },
        { description: 'The change that was begun' },
      ),
    }),
  },
  handler: async (ctx, { body: { credentialIds } }) => {
    const ids = credentialIds.map(parseCredentialId)
    const hashes = await hashesOf(ids)
    return ctx.db.transaction(ctx.scope, async (tx) => {
      const places = await placesOfIds(tx, ctx.team, hashes)
      const registries = new Registries(tx, ctx)
      const refused: ReturnType<typeof refusalAt>[] = []
      for (const [index, id] of ids.entries())
        try {
          await registries.add(placesOf(id, places))
        } catch (error) {
          refused.push(refusalAt(index, error))
        }
      const changes = registries.changes()
      const job = changes.length === 0 ? NO_JOB : await changeStatus(tx, ctx, 'revoke', changes)
      await tx.audit({
        action: 'revokeBatch',
        subject: job.id,
        after: { ids: ids.length, refused: refused.length },
      })
      return tx.answer(jobStarted(ctx, job, { total: ids.length, refused }))
    })
  },
})

/** The ids that are hashed before others have a turn. */
const HASHED_AT_ONCE = 500

/** Returns the revocation id of each id. */
async function hashesOf(ids: readonly (string | undefined)[]): Promise<ReadonlyMap<string, string>> {
  const hashes = new Map<string, string>()
  for (const [index, id] of ids.entries()) {
    if (id !== undefined) hashes.set(id, revocationIdOf(id))
    if (index % HASHED_AT_ONCE === HASHED_AT_ONCE - 1) await new Promise((next) => setImmediate(next))
  }
  return hashes
}

function placesOf(id: string | undefined, places: ReadonlyMap<string, PlacesOfId>): PlacesOfId['entries'] {
  if (id === undefined) throw invalid('The id must be a URI or a UUID')
  const { credentials, entries } = places.get(id) ?? { credentials: [], entries: [] }
  requirePlaces(credentials, entries, 'revoke')
  return entries
}

function refusalAt(index: number, error: unknown) {
  if (!(error instanceof ApiError)) throw error
  const { status, type, message } = error
  return { row: index + 1, status, type, message }
}

/** The registries of a batch, each looked at once, and the places in them that are to be changed. */
class Registries {
  private readonly found = new Map<string, Promise<StatusChange | 'removed' | 'lost'>>()
  private readonly changed = new Map<string, { change: StatusChange; indexes: Set<number> }>()

  constructor(
    private readonly tx: Tx,
    private readonly ctx: Context,
  ) {}

  /** Adds the places of one id, all or none. */
  async add(entries: PlacesOfId['entries']): Promise<void> {
    const standing = await Promise.all(
      entries.map(async (entry) => ({ entry, is: await this.find(entry.registry_id) })),
    )
    const lost = standing.flatMap(({ entry, is }) => (is === 'lost' ? [entry.registry_id] : []))
    if (lost.length > 0) throw nobodyActs([...new Set(lost)])
    if (standing.every(({ is }) => is === 'removed')) throw removedRegistry()
    for (const { entry, is } of standing) {
      if (typeof is === 'string') continue
      const { indexes } = this.changed.get(entry.registry_id) ?? { indexes: new Set<number>() }
      this.changed.set(entry.registry_id, { change: is, indexes: indexes.add(entry.index) })
    }
  }

  changes(): StatusChange[] {
    return [...this.changed.values()].map(({ change, indexes }) => ({ ...change, indexes: [...indexes] }))
  }

  private find(id: string): Promise<StatusChange | 'removed' | 'lost'> {
    const known = this.found.get(id) ?? this.look(id)
    this.found.set(id, known)
    return known
  }

  private async look(id: string): Promise<StatusChange | 'removed' | 'lost'> {
    const registry = await findRegistry(this.tx, id)
    if (registry === undefined || registry.status === 'removing') return 'removed'
    const isOwn = (await findOwnRegistry(this.tx, this.ctx.team, id)) !== undefined
    return isOwn && (await actingFor(this.tx, registry)) !== undefined ? { registry, indexes: [] } : 'lost'
  }
}
