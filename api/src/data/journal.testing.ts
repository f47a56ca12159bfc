import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { accounts } from '../accounts/operations.js'
import { accountsWorld } from '../accounts/people.testing.js'
import { data } from './operations.js'
import { RowWriter } from './rows.testing.js'

/** An api of accounts and their data, with a journal of erasures of its own and a way to its tables. */
export async function journalWorld(env: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'accredit-journal-'))
  const journal = join(folder, 'erasures.jsonl')
  const world = await accountsWorld({ ERASURE_JOURNAL_FILE: journal, ...env }, [accounts, data])
  const writer = await RowWriter.open(world.scratch.adminUrl)
  return {
    ...world,
    folder,
    journal,
    writer,
    rows: (text: string, ...values: unknown[]) => writer.query(text, values),
    /** Signs somebody in who was not here before. */
    signInAnyone: () => world.signIn(`${randomBytes(6).toString('hex')}@company.example`),
    async close() {
      await writer.close()
      await world.close()
      await rm(folder, { recursive: true })
    },
  }
}
