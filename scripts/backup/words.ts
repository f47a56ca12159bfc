import { type Manifest, SCHEMAS } from './archive.js'
import { isSignerAlone } from './rooms.js'

/**
 * Tells what a copy holds, for the person who made it.
 *
 * @param journal the file of the journal of erasures, which is no part of a copy
 */
export function tellBackup(
  folder: string,
  { tables, keys, height, rooms = [...SCHEMAS] }: Manifest,
  journal: string | undefined,
): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  const bytes = tables.reduce((sum, table) => sum + table.bytes, 0)
  const ledger = height === null ? '' : `, the ledger up to block ${height}`
  const kept =
    journal === undefined || isSignerAlone(rooms)
      ? ''
      : `\nThe journal of erasures and revoked keys (${journal}) is no part of it: a restore needs the newest one.`
  const missing = SCHEMAS.filter((room) => !rooms.includes(room))
  const elsewhere =
    missing.length === 0 ? '' : `\nThis installation has no ${missing.join(', ')} here: ${whereOf(rooms)}.`
  return `Copied to ${folder}: ${tables.length} tables with ${rows} rows of ${rooms.join(', ')}${ledger} (${(bytes / 1e6).toFixed(1)} MB), ${keys.length} key files.${elsewhere}
Keep ${folder}/keys apart from the rest: together they open everything.${kept}`
}

function whereOf(rooms: NonNullable<Manifest['rooms']>): string {
  if (isSignerAlone(rooms)) return 'it is a signer alone, and the host of its product is copied by itself'
  return [
    ...(rooms.includes('chain') ? [] : ['a network of validators has its ledger']),
    ...(rooms.includes('signer') ? [] : ['the host of its signer is copied by itself']),
  ].join(', and ')
}
