import { parseDid } from '@accredit/chain'
import { type Finding, failed, passed, undecided } from '../formats/check.js'
import type { ReadCredential, Unreadable } from '../formats/credential-format.js'
import { asArray, isObject, type Json } from '../formats/json.js'
import type { Outcome } from './signed-checks.js'

/** Checks that every subject of a credential is the holder that signed its presentation. */
export function holderBinding(presentation: Outcome, credential: ReadCredential | Unreadable): Finding {
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
const isSame = (id: Json | undefined, holder: string): boolean => typeof id === 'string' && parseDid(id) === holder

/** The DID whose keys made every proof of the presentation, or why there is none. */
function signerOf({ findings: { holder }, proofs }: Outcome): string | Finding {
  if (holder?.passed !== true)
    return failed('holder_not_proven', 'the presentation is not signed by a holder: see the check holder')
  const [signer, ...others] = new Set(proofs.map(({ method }) => method?.controller))
  return signer === undefined || others.length > 0
    ? failed('several_holders', 'the presentation is signed by several, and names no holder')
    : signer
}
