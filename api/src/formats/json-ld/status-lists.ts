import { FormatError } from '../format-error.js'
import { asArray, isObject, type JsonObject } from '../json.js'

/** The largest list elsewhere: a million bits, half of them set, in base64. */
export const MOST_LIST_BYTES = 512 * 1024

const TYPES: readonly unknown[] = ['StatusList2021Credential', 'BitstringStatusListCredential']

/** Tells whether a credential is the status of many others. */
export const isStatusList = ({ type }: JsonObject): boolean => asArray(type).some((one) => TYPES.includes(one))

/**
 * Returns a status list without its bits, and any other document as it is: they are one text, which costs nothing but
 * its bytes.
 * @throws FormatError when there are too many of them
 */
export function withoutBits(document: JsonObject): JsonObject {
  const { credentialSubject: subject } = document
  if (!isStatusList(document) || !isObject(subject) || typeof subject.encodedList !== 'string') return document
  const { encodedList, ...others } = subject
  const bytes = Buffer.byteLength(encodedList)
  if (bytes > MOST_LIST_BYTES)
    throw new FormatError('too_large', `a list of ${bytes} bytes; at most ${MOST_LIST_BYTES} are possible`)
  return { ...document, credentialSubject: others }
}
