import { randomBytes } from 'node:crypto'
import { didKey, hexOf } from '@accredit/chain'
import type { ScratchDatabase, TestTeam } from '../platform/testing/scratch-database.js'
import { insertDid } from './did.store.js'
import { ledgerDid } from './did-creation.js'

const key = <K extends string>(kind: K, bytes = 32) => ({
  kind,
  keyRef: `test-${randomBytes(8).toString('hex')}`,
  publicKey: hexOf(randomBytes(bytes)),
})

/** Makes a did:key without a private half. */
export const someDidKey = (): string => didKey({ kind: 'Ed25519', publicKey: hexOf(randomBytes(32)) }) ?? ''

/**
 * Stores a ledger DID of a team as if its creation had been accepted as `jobId`; without a job, as if it were final.
 */
export async function storedDid(
  scratch: ScratchDatabase,
  { team }: Pick<TestTeam, 'team'>,
  jobId?: string,
): Promise<string> {
  const made = [key('Ed25519'), key('Bls12381G2', 96), key('X25519')]
  const { did, keys } = ledgerDid({ made, salt: randomBytes(32), controllers: [], services: [] })
  const common = { did, team, type: 'ledgerA' as const, controllers: [], services: [], keys, now: new Date() }
  await scratch.db.transaction('system', async (tx) =>
    insertDid(tx, jobId === undefined ? common : { ...common, jobId }),
  )
  return did
}
