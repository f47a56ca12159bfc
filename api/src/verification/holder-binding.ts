import { type Finding, failed, NOT_APPLICABLE, passed, undecided } from '../formats/check.js'
import type { DerivedCredential, ReadCredential, Unreadable } from '../formats/credential-format.js'
import { asArray, isObject, type Json } from '../formats/json.js'
import type { Outcome } from './signed-checks.js'

type Presented = ReadCredential | DerivedCredential | Unreadable

/** Checks that the presentation proves the key that a credential names as its holder's. */
export function holderKeyProven(presentation: Outcome, credential: Presented): Finding {
  const named = credential.wrong ? undefined : credential.claims.holderKey
  if (named === undefined) return NOT_APPLICABLE
  const { holder } = presentation.findings
  // The reason is that of the presentation: an answer tells the first of equally bad ones.
  if (holder?.passed === false) return holder
  if (holder?.passed !== true)
    return failed('holder_not_proven', 'the credential names the key of its holder, and no key signed the presentation')
  return holderKeys(presentation).some(([{ id }]) => id === named)
    ? passed()
    : failed('other_holder', 'the credential names another key than that which signed the presentation')
}

/**
 * Checks that every subject of a credential is the holder that signed its presentation. Where the credential names its
 * holder's key, that key decides.
 */
export function holderBinding(presentation: Outcome, credential: Presented): Finding {
  if (presentation.findings.holder?.passed === false) return NOT_PROVEN
  const byKey = holderKeyProven(presentation, credential)
  if (byKey.passed !== null) return byKey
  if (presentation.findings.holder?.passed === null) return undecided('anonymous', 'nobody signed the presentation')
  const holder = signerOf(presentation)
  if (typeof holder !== 'string') return holder
  const subjects = credential.wrong ? [] : asArray(credential.claims.subject)
  if (subjects.length === 0) return failed('not_checked', 'it has no subject')
  const ids = subjects.map((subject) => (isObject(subject) ? subject.id : null))
  if (ids.some((id) => id !== undefined && !isSame(id, holder)))
    return failed('other_subject', 'it is about somebody else than the holder that signed the presentation')
  if (ids.includes(undefined)) return undecided('anonymous', 'it does not say who it is about')
  return passed()
}

/** Each DID has one text, and one with a fragment or a path is the name of something else. */
const isSame = (id: Json | undefined, holder: string): boolean => id === holder

const NOT_PROVEN = failed('holder_not_proven', 'the presentation is not signed by a holder: see the check holder')

const holderKeys = ({ proofs }: Outcome) =>
  proofs.flatMap(({ keys }) => [...keys].filter(([{ purpose }]) => purpose === 'authentication'))

/** The DID whose keys made every proof of the presentation, or why there is none. */
function signerOf(presentation: Outcome): string | Finding {
  if (presentation.findings.holder?.passed !== true) return NOT_PROVEN
  const [signer, ...others] = new Set(holderKeys(presentation).map(([, { method }]) => method?.controller))
  return signer === undefined || others.length > 0
    ? failed('several_holders', 'the presentation is signed by several, and names no holder')
    : signer
}
