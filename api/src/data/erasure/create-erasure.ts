import { holdStanding } from '../../accounts/standing.js'
import '../data.tables.js'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { FORGETTING_CHANNEL } from '../../accounts/teams/close-team.store.js'
import { teamOf } from '../../accounts/teams/team.store.js'
import { tellJournal } from '../../platform/database/tell-journal.js'
import { invalid } from '../../platform/errors.js'
import { CredentialId, parseCredentialId } from '../../platform/http/identifiers.js'
import { operation } from '../../platform/http/operation.js'
import { Progress, told } from '../deletion/deletion.shape.js'

const MOST_IDS = 100

export const createErasure = operation({
  method: 'POST',
  url: '/data/erasures',
  operationId: 'createErasure',
  tags: ['data'],
  summary: 'Erase what is kept of a person',
  description: `By the id that credentials name their subject with (\`subjectRef\`), by the ids of credentials (at most ${MOST_IDS}), or both. Everything that is kept of those credentials goes: metadata, persisted copies, also such as nobody can open, events and their deliveries, rows and results of batches, mails on their way, answers that are kept for retries (a retry is then 409), and their ids in your audit. It works whether \`storeSubjectRef\` is set or not. Revocation is another matter: a credential that is revoked stays so, and one that is not is not revoked by this. The answer is its report; GET /data/erasures/{id} tells when it has ended. Until then your web hooks and mails wait.`,
  auth: 'account',
  role: 'administrator',
  tenancy: 'owned',
  body: Type.Object({
    subjectRef: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1024, description: 'The id of the subject, as it stands in credentials' }),
    ),
    credentialIds: Type.Optional(
      Type.Array(CredentialId, { minItems: 1, maxItems: MOST_IDS, description: 'Ids of credentials' }),
    ),
  }),
  examples: {
    'Everything about a graduate': { subjectRef: 'did:example:graduate' },
    'One credential': { credentialIds: ['urn:uuid:3f2504e0-4f89-41d3-9a0c-0305e82c3301'] },
  },
  response: { 200: Progress },
  handler: (ctx, { body: { subjectRef, credentialIds = [] } }) => {
    const ids = credentialIds.map((text) => {
      const id = parseCredentialId(text)
      if (id === undefined) throw invalid('The id of a credential is a URI or a UUID', { field: 'credentialIds' })
      return id
    })
    if (subjectRef !== undefined) ids.push(subjectRef)
    if (ids.length === 0) throw invalid('Tell subjectRef, credentialIds, or both', { field: 'subjectRef' })
    const marks = ctx.events.marksOf(ctx.team, ids)
    const [id, now] = [ctx.random.uuid(), ctx.clock.now()]
    return ctx.db.transaction(ctx.scope, async (tx) => {
      await holdStanding(tx, ctx)
      const { created } = await teamOf(tx, ctx.team)
      const row = await tx
        .insertInto('erasures')
        .values({ id, team_id: ctx.team, started: now, marks })
        .returning(['id', 'started', 'ended', 'counts'])
        .executeTakeFirstOrThrow()
      await sql`select pg_notify(${FORGETTING_CHANNEL}, '')`.execute(tx)
      await tx.audit({ action: 'createErasure', subject: id, after: { ids: ids.length } })
      const erasure = { number: Number(ctx.team), created, marks: marks.map((mark) => mark.toString('hex')) }
      const answer = await tx.answer(told(row))
      await tellJournal(tx, ctx, [{ id, erasure }])
      return answer
    })
  },
})
