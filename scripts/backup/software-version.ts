import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface SoftwareVersion {
  version: string
  /** The version of the ledger's runtime that this software brings. */
  runtime: number
}

/** Tells which software this is, by what it was built from. */
export async function softwareVersion(projectRoot: string): Promise<SoftwareVersion> {
  const read = async (path: string): Promise<Record<string, unknown>> =>
    JSON.parse(await readFile(join(projectRoot, path), 'utf8'))
  const [{ version }, manifest] = await Promise.all([read('package.json'), read('chain/artifact/manifest.json')])
  return { version: String(version), runtime: Number(manifest.specVersion) }
}
