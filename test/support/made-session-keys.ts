import { readFile } from 'node:fs/promises'
import { accountPair, ed25519Public } from '@accredit/embedded-ledger/network'
import { randomSeed } from '../../scripts/council/key-file.js'
import { ed25519Signer } from '../../signer/src/keys/ed25519.js'

export interface MadeSessionKeys {
  keys: string
  proof: string
  /** The names of their files in a keystore. */
  files: string[]
}

/** Makes session keys for the account of a file as a node does: each signs that the account owns it. */
export async function sessionKeysFor(file: string): Promise<MadeSessionKeys> {
  const seed = (await readFile(file, 'utf8')).trim()
  const { publicKey } = await accountPair(`0x${seed.slice(2)}`)
  const statement = Buffer.concat([Buffer.from('POP_'), publicKey])
  const [aura, grandpa] = [randomSeed(), randomSeed()]
  const authoring = await accountPair(aura)
  const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
  const [author, voter] = [hexOf(authoring.publicKey), ed25519Public(grandpa).slice(2)]
  return {
    keys: `0x${author}${voter}`,
    proof: `0x${hexOf(authoring.sign(statement))}${hexOf(ed25519Signer(Buffer.from(grandpa.slice(2), 'hex'))(statement))}`,
    files: [`61757261${author}`, `6772616e${voter}`],
  }
}
