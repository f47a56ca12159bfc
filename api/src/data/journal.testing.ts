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

/** Returns how lines of a journal name a team. */
export async function namedInJournal(writer: RowWriter, team: number): Promise<{ number: number; created: string }> {
  const [row] = await writer.query<{ created: Date }>('select created from service.teams where id = $1', [team])
  if (!row) throw new Error('there is no such team')
  return { number: team, created: row.created.toISOString() }
}

/** Works while a journal is in use, as by one that adds a line and takes long. */
export async function whileJournalIsInUse<T>(writer: RowWriter, work: () => Promise<T>): Promise<T> {
  const name = `hashtextextended('service.erasure_journal', 0)`
  await writer.query(`select pg_advisory_lock_shared(${name})`)
  try {
    return await work()
  } finally {
    await writer.query(`select pg_advisory_unlock_shared(${name})`)
  }
}
