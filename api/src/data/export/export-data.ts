import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { Database } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import { ApiError } from '../../platform/errors.js'
import type { Context } from '../../platform/http/context.js'
import { operation } from '../../platform/http/operation.js'
import { oneOfEach } from '../../platform/process/one-of-each.js'
import { openSpool } from './spool.js'
import { writeZip } from './zip-of-team.js'

/** The exports that this process makes at once, of which a team has one: each holds a connection. */
const AT_ONCE = 2

const runningIn = oneOfEach((_: Database) => new Set<TeamId>())

export const exportData = operation({
  method: 'GET',
  url: '/data/export',
  operationId: 'exportData',
  tags: ['data'],
  summary: 'Export everything that your team owns',
  description:
    'A zip, all of it as it was at one moment: a file in lines of JSON for each kind of thing, and manifest.json with their numbers. What is sealed here and is yours to read is opened: events, mails and batches on their way. Persisted credentials are not in it, since only their passwords open them, and neither are private keys, secrets of web hooks, or hashes of keys. A sub-account exports its contents with a key of its own. One export of a team is made at a time. An export that ends early is no whole zip.',
  auth: 'account',
  role: 'administrator',
  tenancy: 'owned',
  response: { 200: Type.Unsafe<Readable>({}) },
  mediaTypes: ['application/zip'],
  handler: async (ctx) => {
    const leave = enter(ctx)
    try {
      await ctx.db.transaction(ctx.scope, (tx) =>
        tx.audit({ action: 'exportData', subject: String(ctx.team), changes: 'nothing' }),
      )
      const { writable, readable } = await openSpool(ctx.config.spoolDir, ctx.random)
      const { db, team, scope, deriveKey, events } = ctx
      void db
        .snapshot(scope, (reader) => writeZip({ reader, team, deriveKey, events }, writable, ctx.clock.now()))
        .catch((error: Error) => {
          // Its reader left: nothing failed here.
          if (!readable.destroyed) ctx.log.error({ err: error }, 'an export failed')
          writable.destroy(error)
        })
        .finally(leave)
      ctx.reply.type('application/zip')
      ctx.reply.header('Content-Disposition', `attachment; filename="team-${team}.zip"`)
      ctx.reply.header('Cache-Control', 'no-store')
      return readable
    } catch (error) {
      leave()
      throw error
    }
  },
})

/** Takes a place. @throws 429 where the team has its one, 503 where all are taken */
function enter({ db, team }: Pick<Context, 'db' | 'team'>): () => void {
  const teams = runningIn(db)
  if (teams.has(team))
    throw new ApiError('rate_limited', 'An export of your team is being made: wait until it is whole', {
      headers: { 'Retry-After': '10' },
    })
  if (teams.size >= AT_ONCE)
    throw new ApiError('unavailable', 'Other exports are being made; try again', { headers: { 'Retry-After': '10' } })
  teams.add(team)
  return () => void teams.delete(team)
}
