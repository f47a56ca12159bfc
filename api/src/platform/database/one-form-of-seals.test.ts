import { createCipheriv, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { systemRandom } from '../process/random.js'
import { keyDerivation } from '../security/service-key.js'
import { databaseWithTeam } from '../testing/for-all-tests.js'
import { eventSealing } from './outgoing-events.js'

const world = databaseWithTeam()

/** A value as it was sealed before migration 0471: nonce, ciphertext, tag. */
function sealedBefore(key: Buffer, text: string, context: string): Buffer {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()])
}

test('an event that an earlier release sealed opens after the migration', async () => {
  const { scratch, team } = world()
  const { db } = scratch
  const deriveKey = keyDerivation(Buffer.alloc(32, 7))
  const text = JSON.stringify({ name: 'Halide Edib Adıvar' })
  const sealed = sealedBefore(deriveKey('outgoing-events'), text, `${team.team} before`)
  const migration = readFileSync(new URL('../../../migrations/0471_one_form_of_seals.sql', import.meta.url), 'utf8')
  const [answer] = await db
    .transaction('system', async (tx) => {
      await sql`insert into service.outgoing_events (team_id, event, sealed)
        values (${team.team}, 'before', ${sealed})`.execute(tx)
      // A round trip takes single statements.
      for (const statement of migration.split(/;$/m)) if (/\w/.test(statement)) await sql.raw(statement).execute(tx)
      const row = await tx
        .selectFrom('outgoing_events')
        .select(['team_id', 'event', 'sealed'])
        .where('event', '=', 'before')
        .executeTakeFirstOrThrow()
      // The rows of other tests have the present form: the transaction is rolled back.
      throw new Opened(eventSealing(deriveKey, systemRandom).open(row))
    })
    .catch((error: unknown) => {
      if (error instanceof Opened) return [error.message]
      throw error
    })
  expect(answer).toBe(text)
})

class Opened extends Error {}
