import type { At } from '../ledger/at.js'
import type { Environment } from '../platform/context.js'
import { FetchRefused } from '../platform/guarded-fetch.js'
import { asArray, idOf, isObject, type Json, type JsonObject, textOf } from '../suites/json.js'
import { checkTexts } from '../suites/limits.js'
import { proofsOf } from '../suites/linked-data-proof.js'
import { bitAt, decodeStatusList } from '../suites/status-list.js'
import { SuiteError } from '../suites/suite-error.js'
import { errorOf, type Finding, failed, isVerified, passed, unavailable, worstOf } from './check.js'
import { checkProofs } from './proof-checks.js'
import { validity } from './validity.js'

type Door = Pick<Environment, 'index' | 'db' | 'guardedFetch'>

/** A list of a million bits, half of them set, in base64. */
const LIMITS = { maxBytes: 512 * 1024, timeoutMs: 5_000, accept: 'application/json, application/ld+json' }

export interface ForeignEntry {
  /** URL of the list. */
  list: string
  index: number
  purpose: Json | undefined
}

/**
 * Looks into a status list that stands elsewhere: fetched now, its own signature checked, and of the present only, since
 * nobody there says what it was.
 */
export async function foreignBitCheck(door: Door, { list, index, purpose }: ForeignEntry, at: At): Promise<Finding> {
  if (!at.isHead) return unavailable('a status list that stands elsewhere cannot be read as of the past')
  const document = await fetched(door, list)
  if (typeof document === 'string')
    return unavailable(`the status list ${list.slice(0, 200)} cannot be had: ${document}`)
  const wrong = await untrusted(door, document, { list, purpose }, at)
  if (wrong !== undefined) return unavailable(`the status list ${list.slice(0, 200)} cannot be trusted: ${wrong}`)
  const subject = isObject(document.credentialSubject) ? document.credentialSubject : {}
  const bits = await decodeStatusList(textOf(subject.encodedList) ?? '')
  const bit = bits && bitAt(bits, index)
  if (bits === undefined) return unavailable('the status list cannot be unpacked')
  if (bit === undefined) return failed('index_out_of_range', 'its index lies outside the status list')
  return bit ? failed('revoked', 'it is revoked') : passed()
}

/** The document, or why there is none. */
async function fetched({ guardedFetch }: Door, url: string): Promise<JsonObject | string> {
  try {
    const document: Json = JSON.parse((await guardedFetch(url, LIMITS)).toString('utf8'))
    if (!isObject(document)) return 'it is no object'
    checkTexts(document)
    return document
  } catch (error) {
    if (error instanceof FetchRefused || error instanceof SuiteError) return error.message
    if (error instanceof SyntaxError) return 'it is not JSON'
    throw error
  }
}

/** Why a list says nothing about its bits: its form, its purpose, its signature or its dates. */
async function untrusted(
  door: Door,
  document: JsonObject,
  { list, purpose }: Pick<ForeignEntry, 'list' | 'purpose'>,
  at: At,
): Promise<string | undefined> {
  const { credentialSubject: subject } = document
  if (!asArray(document.type).includes('StatusList2021Credential') || !isObject(subject)) return 'it is no status list'
  if (subject.type !== 'StatusList2021' || subject.statusPurpose !== purpose) return 'it is of another kind or purpose'
  if (textOf(document.id) !== list.split('#')[0]) return 'it has another id'
  const issuer = idOf(document.issuer)
  if (issuer === undefined || proofsOf(document).length === 0) return 'it is not signed'
  const proofs = await checkProofs(door, document, { purpose: 'assertionMethod', by: issuer, at })
  const findings = {
    ...worstOf([{ structure: passed() }, ...proofs.map((proof) => proof.findings)]),
    validity: validity(document, proofsOf(document), at.instant),
  }
  return isVerified(findings) ? undefined : errorOf(findings)
}
