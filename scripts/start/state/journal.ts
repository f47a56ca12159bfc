import { join } from 'node:path'

/**
 * Returns the file of an installation that tells of erasures and revoked keys. No copy of the installation holds it, and
 * nothing forgets it: it tells a restored copy what has to be erased and revoked again.
 */
export const journalFile = (stateDir: string): string => join(stateDir, 'erasures.jsonl')
