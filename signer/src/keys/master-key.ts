/**
 * The master key: wraps data keys, never leaves the functions of this file and its neighbour `token.ts`. Its file holds
 * a list; the last entry wraps, the others only unwrap until a rotation has finished. An entry holds a key, or names
 * one in a PKCS#11 token: so a rotation leads from the one to the other.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { seal, unseal } from '@accredit/process/seal'
import Type, { type Static } from 'typebox'
import { Check } from 'typebox/schema'
import { SetupError } from '../errors.js'
import type { Randomness } from '../randomness.js'
import { makeTokenKey, type Token, tokenKey } from './token.js'
import type { WrappingKey } from './wrapping-key.js'

export interface MasterKey {
  readonly currentId: string
  wrap(plain: Uint8Array, context: string): Promise<Buffer>
  unwrap(id: string, wrapped: Uint8Array, context: string): Promise<Buffer>
}

const REMEDY =
  'Without it the private keys in this database are lost: bring a copy back with restore-master-key, or forget this installation and begin a new one (npm start -- --fresh).'

const Entry = Type.Union([
  Type.Object({ id: Type.String(), key: Type.String() }),
  Type.Object({ id: Type.String({ pattern: '^[0-9a-f]+$' }), token: Type.String() }),
])
type Entry = Static<typeof Entry>

const KeyFile = Type.Object({ keys: Type.Array(Entry, { minItems: 1 }) })
type KeyFile = Static<typeof KeyFile>

/** Opens the keys of a file. `token` is where those are that the file only names. */
export function openMasterKeyFile(file: string, random: Randomness, token?: Token): MasterKey {
  const entries = readKeyFile(file).keys
  const keys = new Map(entries.map((entry) => [entry.id, wrappingKey(file, entry, random, token)]))
  const currentId = entries.at(-1)?.id ?? ''
  const keyNamed = (id: string) => {
    const key = keys.get(id)
    if (key === undefined) {
      throw new SetupError(`${file} does not hold the master key ${id} that this database needs. ${REMEDY}`)
    }
    return key
  }
  return {
    currentId,
    wrap: (plain, context) => keyNamed(currentId).wrap(plain, context),
    unwrap: async (id, wrapped, context) => keyNamed(id).unwrap(wrapped, context),
  }
}

function wrappingKey(file: string, entry: Entry, random: Randomness, token: Token | undefined): WrappingKey {
  if ('token' in entry) {
    if (token?.label === entry.token) return tokenKey(token, entry.id, random)
    throw new SetupError(
      `${file} names a key in the token "${entry.token}": MASTER_KEY_TOKEN has to be its label, with MASTER_KEY_MODULE and MASTER_KEY_PIN_FILE beside it.`,
    )
  }
  const key = Buffer.from(entry.key, 'base64')
  return {
    wrap: async (plain, context) => seal(key, plain, context, random),
    unwrap: async (wrapped, context) => unseal(key, wrapped, context),
  }
}

/** Writes the whole file or none, also in a power cut. Throws where there is one already. */
export async function makeMasterKeyFile(file: string, random: Randomness, token?: Token): Promise<void> {
  place(file, { keys: [await newEntry(random, token)] })
}

/** Puts a copy in place in the same way. */
export function copyMasterKeyFile(from: string, to: string): void {
  place(to, readKeyFile(from))
}

/** Does the first half of a rotation: from now on a new key wraps, and the old ones still unwrap. */
export async function appendMasterKey(file: string, random: Randomness, token?: Token): Promise<void> {
  replace(file, { keys: [...readKeyFile(file).keys, await newEntry(random, token)] })
}

/** Does the second half: everything is wrapped anew, the old keys go. */
export function dropOldMasterKeys(file: string): void {
  replace(file, { keys: readKeyFile(file).keys.slice(-1) })
}

/** Makes a key in the token where there is one, else in the file. */
async function newEntry(random: Randomness, token: Token | undefined): Promise<Entry> {
  const id = Buffer.from(random(8)).toString('hex')
  if (token === undefined) return { id, key: Buffer.from(random(32)).toString('base64') }
  await makeTokenKey(token, id)
  return { id, token: token.label }
}

function render(content: KeyFile): string {
  return `${JSON.stringify(content, null, 2)}\n`
}

function place(file: string, content: KeyFile): void {
  const next = writeNext(file, content)
  try {
    linkSync(next, file)
  } finally {
    rmSync(next)
  }
  syncFolder(file)
}

function replace(file: string, content: KeyFile): void {
  renameSync(writeNext(file, content), file)
  syncFolder(file)
}

function writeNext(file: string, content: KeyFile): string {
  const next = `${file}.${process.pid}.next`
  writeFileSync(next, render(content), { mode: 0o600, flush: true })
  return next
}

/** A name is durable when its folder is. */
function syncFolder(file: string): void {
  const folder = openSync(dirname(file), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

function readKeyFile(file: string): KeyFile {
  if (!existsSync(file)) throw new SetupError(`The master key file ${file} is missing. ${REMEDY}`)
  if ((statSync(file).mode & 0o077) !== 0) {
    throw new SetupError(`${file} can be read by others: the master key file has to have mode 0600.`)
  }
  const content = parsed(readFileSync(file, 'utf8'))
  if (!Check(KeyFile, content)) throw new SetupError(`${file} is not a master key file.`)
  return content
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
