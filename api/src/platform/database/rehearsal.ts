import { sql } from 'kysely'
import type { Database, Reader, Scope, Tx } from './database.js'

/**
 * A database of which nothing remains: all that is written through it stands in one transaction of the caller's, where all
 * that is read through it finds it.
 * @param beside for reads of other scopes, which see only what was committed
 * @param txOf a transaction's tools on the connection that is shared
 */
export function rehearsalDatabase(
  connection: Reader,
  teams: readonly number[],
  { beside, txOf }: { beside: Database; txOf: (scope: Scope) => Tx },
): Database {
  let current = teams.join(',')

  async function as<T>(scope: Exclude<Scope, string>, run: () => Promise<T>): Promise<T> {
    const [before, wanted] = [current, scope.teams.map(Number).join(',')]
    if (wanted === before) return run()
    await setTeams(wanted)
    try {
      return await run()
    } finally {
      await setTeams(before)
    }
  }

  async function setTeams(list: string): Promise<void> {
    await sql`select set_config('accredit.teams', ${list}, true)`.execute(connection)
    current = list
  }

  return {
    async transaction(scope, run) {
      if (typeof scope === 'string') throw new Error(`in a dry run nothing is written in scope ${scope}`)
      return as(scope, () => run(txOf(scope)))
    },
    read: (scope, run) => (typeof scope === 'string' ? beside.read(scope, run) : as(scope, () => run(connection))),
    call: (statement) => beside.call(statement),
    rehearse: () => Promise.reject(new Error('a dry run has no dry runs')),
    close: () => Promise.resolve(),
  }
}
