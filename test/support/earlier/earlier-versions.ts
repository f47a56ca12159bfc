import { execFileSync } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import artifact from '../../../chain/artifact/manifest.json' with { type: 'json' }
import { root } from '../repository-files.js'

export const EARLIER = join(root, 'test/support/earlier')

interface Version {
  runtime: number
  migrations: { service: string[]; ledger: string[] }
}

/** The copies whose migrations or runtime are not the present ones. Their names sort by the time of the version. */
export async function earlierVersions(): Promise<string[]> {
  const present = JSON.stringify([
    artifact.specVersion,
    (await readdir(join(root, 'api/migrations'))).sort(),
    (await readdir(join(root, 'indexer/db/migrations'))).map(timeIn).sort(),
  ])
  const copies = (await readdir(EARLIER)).filter((name) => name.endsWith('.tar.gz')).sort()
  return copies.filter((name) => setOf(name) !== present)
}

function setOf(name: string): string {
  const manifest = execFileSync('tar', ['-xzOf', join(EARLIER, name), './manifest.json'], { encoding: 'utf8' })
  const { runtime, migrations }: Version = JSON.parse(manifest).content
  return JSON.stringify([runtime, [...migrations.service].sort(), migrations.ledger.map(timeIn).sort()])
}

/** Files of the index's migrations begin with the time at which their classes' names end. */
const timeIn = (name: string): string | undefined => /\d{13}/.exec(name)?.[0]
