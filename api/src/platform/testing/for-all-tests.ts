import { afterAll, beforeAll } from 'vitest'
import { buildApp } from '../../app.js'
import type { Environment } from '../http/context.js'
import type { Served } from '../http/operation.js'
import { serviceDatabase, testEnvironment, testTeam } from './scratch-database.js'

/**
 * Opens something for all tests of a file, and closes it behind them. The returned function gives it, while hooks and
 * tests run.
 */
export function forAllTests<Opened extends { close(): Promise<void> }>(open: () => Promise<Opened>): () => Opened {
  let opened: Opened | undefined
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(() => opened?.close())
  return () => {
    if (opened === undefined) throw new Error('it is there while hooks and tests run')
    return opened
  }
}

async function openDatabase() {
  const scratch = await serviceDatabase()
  return { scratch, team: await testTeam(scratch.db), close: scratch.close }
}

/** A database with one team. */
export const databaseWithTeam = () => forAllTests(openDatabase)

/** A database with one team, and the api over it. */
export const appWithTeam = (capabilities: readonly Served[], given?: Partial<Environment>) =>
  forAllTests(async () => {
    const { scratch, team, close } = await openDatabase()
    const app = await buildApp(testEnvironment(scratch, given), capabilities)
    return { scratch, team, app, close: () => app.close().then(close) }
  })
