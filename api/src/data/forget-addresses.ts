import { recipientMark } from '../accounts/mail/mail.store.js'
import { forgetInvited, type StrayAddress, strayAddresses } from '../accounts/people/forget-person.store.js'
import type { EntryThatCounts } from '../platform/database/tell-journal.js'
import type { Environment } from '../platform/http/context.js'
import { inAPart } from './in-a-part.js'

type Needs = Pick<Environment, 'db' | 'deriveKey' | 'events'>

/** The addresses of one look. */
const AT_A_TIME = 20_000

/**
 * Forgets the addresses of people who deleted their account: a copy may be older than the person, and have the invitation
 * already. All addresses that stand somewhere are looked at once, however many lines there are. What was made after a line
 * stays: somebody was invited anew.
 *
 * @returns how many addresses were forgotten, and what failed
 */
export async function forgetAddresses(
  environment: Needs,
  entries: readonly EntryThatCounts[],
  atATime = AT_A_TIME,
): Promise<{ forgotten: number; failed: unknown[] }> {
  const { db } = environment
  const ends = lastEnds(entries)
  const failed: unknown[] = []
  let forgotten = 0
  for await (const { email, since } of ends.size === 0 ? [] : allAddresses(db, atATime)) {
    const until = ends.get(recipientMark(environment, email).toString('hex'))
    if (until === undefined || since > until) continue
    try {
      await inAPart(db, (tx) => forgetInvited(tx, environment, { email, until }))
      forgotten += 1
    } catch (error) {
      failed.push(error)
    }
  }
  return { forgotten, failed }
}

/** Returns when the last person of each address, by its keyed hash, was forgotten. */
function lastEnds(entries: readonly EntryThatCounts[]): Map<string, Date> {
  const ends = new Map<string, Date>()
  for (const entry of entries) {
    if (!('person' in entry) || entry.person.address === undefined) continue
    const [at, known] = [new Date(entry.at), ends.get(entry.person.address)]
    if (known === undefined || known < at) ends.set(entry.person.address, at)
  }
  return ends
}

async function* allAddresses(db: Needs['db'], atATime: number): AsyncGenerator<StrayAddress> {
  let [after, found]: [string, StrayAddress[]] = ['', []]
  do {
    found = await db.read('system', (reader) => strayAddresses(reader, after, atATime))
    yield* found
    after = found.at(-1)?.email ?? after
  } while (found.length === atATime)
}
