import type { VerificationMethod } from '@accredit/chain'
import type { Finding } from '../formats/check.js'
import type { NeededKey } from '../formats/credential-format.js'
import type { At } from '../ledger/read/at.js'

/** A verification method of a DID of any method. */
export type ShownMethod = Omit<VerificationMethod, 'controller'> & { readonly controller: string }

export interface KeyFinding {
  finding: Finding
  /** Absent when there is no such key at all. */
  publicKey?: Uint8Array
  /** The method as results show it. */
  method?: ShownMethod
}

export interface KeyQuestion extends Pick<NeededKey, 'id' | 'purpose' | 'kind'> {
  /** The time of the signature, by the document's own word; undefined when that cannot be read. */
  created: Date | undefined
  at: At
}
