import pg from 'pg'
import { vi } from 'vitest'
import { Pipeline } from '../database/pipeline.js'

/** Returns the statements that this process sends to Postgres while something runs, without their values, in order of text. */
export async function sentStatements(run: () => Promise<unknown>): Promise<string[]> {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  try {
    await run()
    return query.mock.calls
      .flatMap(([asked]: unknown[]) =>
        asked instanceof Pipeline ? asked.statements.map(({ text }) => text) : [textOf(asked)],
      )
      .sort()
  } finally {
    query.mockRestore()
  }
}

const textOf = (asked: unknown): string => (typeof asked === 'string' ? asked : String(Object(asked).text))
