import { parseHex32 } from '@accredit/chain'
import { asArray, isObject, type Json, type JsonObject } from '../../formats/json.js'
import { invalid } from '../../platform/errors.js'
import type { MemberRule } from '../../platform/http/input/member-rules.js'
import { isBlank } from '../../platform/http/input/spellings.js'
import { MOST_STATUSES } from '../../status/status-method.js'
import type { StatusMethods } from '../../status/status-methods.js'

/** The id of a registry, or status entries of the caller's own. */
export type StatusInput = string | readonly JsonObject[] | undefined

export function readStatus(value: Json | undefined): StatusInput {
  if (isBlank(value)) return undefined
  if (typeof value === 'string' && parseHex32(value) !== undefined) return value
  const entries = asArray(value)
  if (entries.length > 0 && entries.length <= MOST_STATUSES && entries.every(isObject)) return entries.map(withType)
  throw invalid(
    `credential.status must be the id of a registry (64 hexadecimal characters), or at most ${MOST_STATUSES} status objects`,
  )
}

/** A status object without a type would fail when it is verified, but for that of a token. */
function withType(status: JsonObject): JsonObject {
  if (hasType(status)) return status
  throw invalid('credential.status must have a type: status entries of type none cannot be checked here')
}

const hasType = ({ type, status_list }: JsonObject): boolean =>
  isObject(status_list) || asArray(type).some((one) => typeof one === 'string' && one !== '')

/** The rules about a status in one spelling: its form, and each entry of the caller's own. */
export function statusRules(
  name: string,
  value: Json | undefined,
  revocable: unknown,
  methods: StatusMethods,
): MemberRule[] {
  if (isBlank(value)) return []
  const place = ['credential', name]
  const form = (): StatusInput => {
    const status = readStatus(value)
    refuseBothStatuses(status, revocable)
    return status
  }
  const refuseWrong = (entry: JsonObject): void => {
    const wrong = methods.wrongIn(entry)
    if (wrong !== undefined) throw invalid(`credential.status: ${wrong}`)
  }
  if (!Array.isArray(value))
    return [{ place, value, check: () => [form()].flat().filter(isObject).forEach(refuseWrong) }]
  const entries = value.slice(0, MOST_STATUSES).filter((entry) => isObject(entry) && hasType(entry))
  return [
    { place, value, check: form },
    ...entries.map((entry) => ({
      place: [...place, value.indexOf(entry)],
      value: entry,
      check: () => isObject(entry) && refuseWrong(entry),
    })),
  ]
}

function refuseBothStatuses(status: StatusInput, revocable: unknown): void {
  if (revocable === true && typeof status === 'object')
    throw invalid(
      'revocable asks for a place in a registry of yours, and credential.status names one elsewhere: send one',
    )
}
