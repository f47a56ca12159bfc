import { randomBytes } from 'node:crypto'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { type AccountPair, accountPair } from '@accredit/embedded-ledger/network'
import { codeOf, Refusal } from '../start/refusal.js'
import { writePrivately } from '../start/state/settings.js'

/** Returns the account whose seed stands in a file, which nobody else on the machine may read. */
export async function accountOfFile(file: string): Promise<AccountPair> {
  const text = await readFile(file, 'utf8').catch((error) => {
    throw new Refusal(`The key ${file} cannot be read: ${codeOf(error)}.`)
  })
  if ((await stat(file)).mode & 0o077)
    throw new Refusal(`The key ${file} can be read by others on this machine: its mode has to be 0600.`)
  const seed = text.trim()
  if (!/^0x[0-9a-f]{64}$/.test(seed)) throw new Refusal(`${file} holds no seed of a key.`)
  return accountPair(`0x${seed.slice(2)}`)
}

/** Keeps the seed of an account where its owner alone reads it. */
export const keepSeed = (file: string, seed: string): Promise<void> => writePrivately(file, `${seed}\n`)

/**
 * Makes the key of a new account, unless the file is there: then its account is returned. Of several who do so at once
 * one makes it: a key that was there for a moment may have been given to others.
 */
export async function makeKey(file: string): Promise<{ account: AccountPair; isNew: boolean }> {
  const isNew = await writeFile(file, `${randomSeed()}\n`, { flag: 'wx', mode: 0o600 }).then(
    () => true,
    (error) => {
      if (codeOf(error) === 'EEXIST') return false
      throw new Refusal(`The key ${file} cannot be kept: ${codeOf(error)}.`)
    },
  )
  return { account: await accountOfFile(file), isNew }
}

export const randomSeed = () => `0x${randomBytes(32).toString('hex')}` as const
