import { Check } from 'typebox/schema'
import { isObject, type Json, type JsonObject } from '../../formats/json.js'
import { parseJson } from '../../platform/http/input/json.js'
import { decryptWith, WalletJwe } from './wallet-cipher.js'
import { WalletError } from './wallet-content.js'
import { passwordToKey, type WalletKey } from './wallet-key.js'

const MAX_DOCUMENTS = 200
/** The most encrypted wallets: each costs a key agreement, even when nothing is in it. */
const MAX_ENCRYPTED = 50
/** The most values that are looked at: lists, wallets, documents and keys. */
const MAX_PARTS = 1_000
/** The depth of lists and wallets inside each other: nobody packs them deeper. */
const MAX_DEPTH = 4

/** The password opens none of the wallets: a request with another one may succeed. */
export class WrongPassword extends WalletError {}

/**
 * Returns the documents inside the input: one document, a list of them, one with its `keys` beside it, a plain
 * Universal Wallet 2020, encrypted ones, which `open` opens, or any of these as JSON text.
 */
export async function openWallets(data: unknown, open: (jwe: WalletJwe) => Promise<Buffer>): Promise<JsonObject[]> {
  const found: JsonObject[] = []
  let [parts, encrypted] = [0, 0]
  const take = async (value: unknown, depth: number): Promise<void> => {
    if (++parts > MAX_PARTS) throw new WalletError(`A wallet may be packed from ${MAX_PARTS} parts`)
    if (depth > MAX_DEPTH) throw new WalletError('The wallet is packed too deeply')
    if (typeof value === 'string') return take(parse(value), depth + 1)
    if (Array.isArray(value)) {
      if (value.length > MAX_DOCUMENTS) throw tooMany()
      for (const one of value) await take(one, depth + 1)
      return
    }
    if (!isObject(value)) throw new WalletError('A wallet must be a JSON document, or a list of them')
    if (Array.isArray(value.contents)) return take(value.contents, depth + 1)
    const { keys, ...document } = value
    if (Array.isArray(keys)) {
      await take(document, depth)
      for (const key of keys) await take(key, depth + 1)
      return
    }
    const jwe = encryptedContents(value)
    if (jwe !== undefined && ++encrypted > MAX_ENCRYPTED)
      throw new WalletError(`A wallet may hold ${MAX_ENCRYPTED} encrypted ones`)
    if (jwe !== undefined) return take(contentsOf(await open(jwe)), depth + 1)
    if (found.length >= MAX_DOCUMENTS) throw tooMany()
    found.push(value)
  }
  await take(data, 0)
  return found
}

const tooMany = (): WalletError => new WalletError(`A wallet may hold ${MAX_DOCUMENTS} documents`)

/** Opens encrypted wallets with one password, whose key is derived once. */
export function walletOpener(password: string | undefined): (jwe: WalletJwe) => Promise<Buffer> {
  let key: Promise<WalletKey> | undefined
  return async (jwe) => {
    if (password === undefined || password === '') throw new WalletError('The wallet is encrypted: give its password')
    key ??= passwordToKey(password)
    const opened = decryptWith(await key, jwe)
    if (opened === undefined) throw new WrongPassword('The password does not open the wallet')
    return opened
  }
}

function encryptedContents({ credentialSubject }: JsonObject): WalletJwe | undefined {
  if (!isObject(credentialSubject) || !('encryptedWalletContents' in credentialSubject)) return undefined
  const contents: unknown = credentialSubject.encryptedWalletContents
  if (Check(WalletJwe, contents)) return contents
  throw new WalletError('encryptedWalletContents is not a JWE in the general JSON form')
}

function contentsOf(opened: Buffer): Json {
  const value = parse(opened.toString())
  const contents = isObject(value) ? value.contents : undefined
  if (!Array.isArray(contents)) throw new WalletError('The wallet has no contents')
  return contents
}

/** The parser's own message would repeat its input. */
function parse(text: string): Json {
  try {
    return parseJson(text)
  } catch {
    throw new WalletError('The wallet is not valid JSON')
  }
}
