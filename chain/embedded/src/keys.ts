import { createHash, randomBytes } from 'node:crypto'
import { link, mkdir, readFile, stat, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { writeDurably } from '@accredit/process/durable-files'
import type { Keyring } from '@polkadot/keyring'
import { bytesOf, type Hex, hexOf, isHex } from './store/store.js'

/**
 * The secrets of one installation's ledger: those of the account that may upgrade the runtime, and of the block author.
 */
export interface LedgerKeys {
  readonly sudo: Hex
  readonly aura: Hex
}

const REMEDY =
  'Without its own keys the chain can never get a newer runtime: restore the file from a backup, or forget this installation and begin a new one (npm start -- --fresh)'

export type KeyPair = ReturnType<Keyring['addFromSeed']>

/** The library is needed when a chain is made or upgraded only: other starts do not wait for it to load. */
export async function keyPair(seed: Hex): Promise<KeyPair> {
  const [{ Keyring }, { cryptoWaitReady }] = await Promise.all([
    import('@polkadot/keyring'),
    import('@polkadot/util-crypto'),
  ])
  await cryptoWaitReady()
  return new Keyring({ type: 'sr25519', ss58Format: 42 }).addFromSeed(bytesOf(seed))
}

export function randomKeys(): LedgerKeys {
  return { sudo: hexOf(randomBytes(32)), aura: hexOf(randomBytes(32)) }
}

/**
 * Reads the keys of this installation. They are made for a chain that `isNew` only: others would not fit the chain.
 * Others on the machine must not read them.
 */
export async function keysFromFile(path: string, isNew: boolean): Promise<LedgerKeys> {
  const existing = await readKeys(path)
  if (existing) return existing
  if (!isNew) throw new Error(`the key file ${path} of this chain is missing. ${REMEDY}`)
  await mkdir(dirname(path), { recursive: true })
  const unfinished = `${path}.${process.pid}`
  await writeDurably(unfinished, `${JSON.stringify(randomKeys(), undefined, 2)}\n`)
  // A link is refused where the name exists: the second process takes the existing file.
  await link(unfinished, path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EEXIST') throw cause
  })
  await unlink(unfinished)
  const made = await readKeys(path)
  if (!made) throw new Error(`the key file ${path} could not be written`)
  return made
}

/** Distinguishes the keys that a chain was made with from those of another installation. */
export async function requireKeysOf(
  chain: { bindKeys(fingerprint: Uint8Array): Promise<boolean> },
  path: string,
  { sudo, aura }: LedgerKeys,
): Promise<void> {
  const fingerprint = createHash('sha256').update(bytesOf(sudo)).update(bytesOf(aura)).digest()
  if (await chain.bindKeys(fingerprint)) return
  throw new Error(`the key file ${path} holds the keys of another chain. ${REMEDY}`)
}

async function readKeys(path: string): Promise<LedgerKeys | undefined> {
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined
    throw cause
  })
  if (text === undefined) return undefined
  const { mode } = await stat(path)
  if (mode & 0o077) throw new Error(`the key file ${path} can be read by others: its mode must be 0600`)
  const parsed: unknown = JSON.parse(text)
  if (typeof parsed === 'object' && parsed !== null && 'sudo' in parsed && 'aura' in parsed) {
    const { sudo, aura } = parsed
    if (isSeed(sudo) && isSeed(aura)) return { sudo, aura }
  }
  throw new Error(`the key file ${path} is not a ledger's key file`)
}

function isSeed(value: unknown): value is Hex {
  return isHex(value) && value.length === 66
}
