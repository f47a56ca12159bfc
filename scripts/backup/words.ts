import type { Manifest } from './archive.js'

/**
 * Tells what a copy holds, for the person who made it.
 *
 * @param journal the file of the journal of erasures, which is no part of a copy
 */
export function tellBackup(folder: string, { tables, keys, height }: Manifest, journal: string | undefined): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  const bytes = tables.reduce((sum, table) => sum + table.bytes, 0)
  const ledger = height === null ? '' : `, the ledger up to block ${height}`
  const kept =
    journal === undefined
      ? ''
      : `\nThe journal of erasures and revoked keys (${journal}) is no part of it: a restore needs the newest one.`
  return `Copied to ${folder}: ${tables.length} tables with ${rows} rows${ledger} (${(bytes / 1e6).toFixed(1)} MB), ${keys.length} key files.
Keep ${folder}/keys apart from the rest: together they open everything.${kept}`
}
