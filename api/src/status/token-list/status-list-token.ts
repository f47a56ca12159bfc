import { type Finding, failed, passed } from '../../formats/check.js'
import { bytesOfBase64Url } from '../../formats/compact/base64url.js'
import { malformed, readJws, unsignedJws } from '../../formats/compact/jws.js'
import { jwsProof, keyIdOf } from '../../formats/compact/jws-proof.js'
import { datesOfToken, numericDate, textClaim } from '../../formats/compact/registered-claims.js'
import { FormatError } from '../../formats/format-error.js'
import { isObject, type JsonObject, textOf } from '../../formats/json.js'
import { untrusted } from '../status-list/foreign-list.js'
import type { ForeignList, ListEntry, Statuses, UnsignedList } from '../status-list/list-form.js'
import { signBytes } from '../status-list/sign-list-document.js'
import type { Publisher, PublishingDoor } from '../status-method.js'
import { BITS, decodeStatuses, encodeStatuses, packed, statusIn } from './packed-statuses.js'

const TYP = 'statuslist+jwt'
const [INVALID, SUSPENDED] = [1, 2]

/** Returns a Status List Token. Only one of the past ends (`exp`): see the lists of the other forms. */
export async function signStatusListToken(
  door: PublishingDoor,
  { url, bits: set, terms, until, signedAt }: UnsignedList,
  by: Publisher,
): Promise<string> {
  const [status, bits] = terms.purpose === 'suspension' ? ([SUSPENDED, 2] as const) : ([INVALID, 1] as const)
  const seconds = (date: Date) => Math.floor(date.getTime() / 1000)
  const payload = {
    iss: by.did,
    sub: url,
    iat: seconds(signedAt),
    ...(until && { exp: seconds(until) }),
    ttl: terms.ttl_seconds,
    status_list: { bits, lst: await encodeStatuses(packed(set, status, bits)) },
  }
  const { message, finish } = unsignedJws({ alg: 'EdDSA', typ: TYP, kid: by.verificationMethod }, payload)
  return finish(await signBytes(door, by, message))
}

/** Reads a list that stands elsewhere, as far as it is the one that an entry names; a text says why it is not. */
export function readStatusListToken(bytes: Buffer, entry: ListEntry): ForeignList | string {
  try {
    return read(bytes.toString('utf8').trim(), entry)
  } catch (error) {
    if (error instanceof FormatError) return untrusted(error.message)
    throw error
  }
}

/** @throws FormatError */
function read(token: string, { list }: ListEntry): ForeignList {
  const jws = readJws(token)
  const { header, payload } = jws
  if (header.typ !== TYP) throw malformed(`its type is not ${TYP}`)
  if (textClaim(payload, 'sub') !== list) throw malformed('it is the list of another address (sub)')
  if (numericDate(payload, 'iat') === undefined) throw malformed('it does not say when it was made (iat)')
  const issuer = textClaim(payload, 'iss') ?? header.kid?.split('#')[0]
  const keyId = keyIdOf(header.kid, issuer ?? '')
  return {
    issuer,
    document: token,
    signed: {
      dates: datesOfToken(payload),
      proofs: [jwsProof(jws, { type: 'StatusListToken', purpose: 'assertionMethod', keyId })],
    },
    ttlMs: ttlOf(payload),
    unpack: () => unpacked(payload),
  }
}

/** Seconds; an unreadable ttl allows no keeping. */
function ttlOf({ ttl }: JsonObject): number | undefined {
  if (ttl === undefined) return undefined
  return typeof ttl === 'number' ? ttl * 1000 : 0
}

async function unpacked({ status_list: list }: JsonObject): Promise<Statuses | string> {
  const { bits: size, lst } = isObject(list) ? list : {}
  const bits = BITS.find((one) => one === size)
  const encoded = bytesOfBase64Url(textOf(lst) ?? '')
  const bytes = encoded && (await decodeStatuses(encoded))
  if (bits === undefined || bytes === undefined) return 'cannot be unpacked'
  return { at: (index) => statusIn(bytes, index, bits), find: findingOf }
}

/** https://datatracker.ietf.org/doc/html/draft-ietf-oauth-status-list#name-status-types */
function findingOf(status: number): Finding {
  if (status === 0) return passed()
  if (status === INVALID) return failed('revoked', 'it is revoked')
  if (status === SUSPENDED) return failed('suspended', 'it is suspended')
  return failed('unknown_status', `its status is ${status}, whose meaning is not known here`)
}
