import { randomBytes, randomUUID } from 'node:crypto'
import { link, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { type AccountPair, accountPair } from '@accredit/embedded-ledger/network'
import { codeOf, Refusal } from '../start/refusal.js'

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

/** Keeps the seed of a new account where its owner alone reads it. A key that is there is never written over. */
export async function keepSeed(file: string, seed: string): Promise<void> {
  if (!(await putSeed(file, seed)))
    throw new Refusal(`The key ${file} is there already, and none is written over: move it to a safe place first.`)
}

/** Puts a seed into a new file, which nobody sees before it is whole. Returns whether there was none. */
async function putSeed(file: string, seed: string): Promise<boolean> {
  const temporary = `${file}.${randomUUID()}.tmp`
  try {
    await writeFile(temporary, `${seed}\n`, { flag: 'wx', mode: 0o600 })
    await link(temporary, file)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw new Refusal(`The key ${file} cannot be kept: ${codeOf(error)}.`)
  } finally {
    await rm(temporary, { force: true })
  }
}

/**
 * Makes the key of a new account, unless the file is there: then its account is returned. Of several who do so at once
 * one makes it: a key that was there for a moment may have been given to others.
 */
export async function makeKey(file: string): Promise<{ account: AccountPair; isNew: boolean }> {
  const isNew = await putSeed(file, randomSeed())
  return { account: await accountOfFile(file), isNew }
}

export const randomSeed = () => `0x${randomBytes(32).toString('hex')}` as const
