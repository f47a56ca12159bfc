import { appendFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder where the tests of a project note what ends with them. */
    folderOfTests: string
  }
}

export const ADMIN_URL = process.env.TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres'

/** A worker of the tests ends without notice: databases that its files share are dropped after all of them. */
export const dropAfterAll = (database: string): void => appendFileSync(fileIn(folderOfTests()), `${database}\n`)

export const folderOfTests = (): string => inject('folderOfTests')

/** Names of databases, one a line. */
const fileIn = (folder: string): string => join(folder, 'databases')

/** Prepares the folder once for all files of a project, and returns the clean-up. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'accredit-tests-'))
  appendFileSync(fileIn(folder), '')
  project.provide('folderOfTests', folder)
  return async () => {
    const databases = (await readFile(fileIn(folder), 'utf8')).split('\n').filter((name) => name !== '')
    for (const name of databases) await dropDatabase(name)
    await rm(folder, { recursive: true, force: true })
  }
}

export const dropDatabase = (name: string): Promise<unknown> =>
  asAdmin((admin) => admin.query(`drop database if exists ${name} with (force)`))

export async function asAdmin<T>(run: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client({ connectionString: ADMIN_URL })
  await admin.connect()
  try {
    return await run(admin)
  } finally {
    await admin.end()
  }
}
