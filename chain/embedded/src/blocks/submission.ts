import { TypeRegistry } from '@polkadot/types'
import { compactFromU8a } from '@polkadot/util'
import { blake2AsU8a } from '@polkadot/util-crypto'
import { bytesOf, type Hex, hexOf } from '../store/store.js'
import type { Refusal } from './builder.js'

const types = new TypeRegistry()
const SIGNED = 0b1000_0000

export interface Inclusion {
  readonly blockHash: Hex
  readonly index: number
}

/** An extrinsic that the runtime did not take; `code` and `data` are those of a Substrate node's answer. */
export class ExtrinsicRefused extends Error {
  override readonly name = 'ExtrinsicRefused'
  readonly code: number
  readonly data: string

  constructor(code: number, message: string, data: string) {
    super(message)
    this.code = code
    this.data = data
  }

  static tooLarge(): ExtrinsicRefused {
    return ExtrinsicRefused.by({ kind: 'invalid', reason: 'ExhaustsResources', detail: '' })
  }

  static by(refusal: Refusal): ExtrinsicRefused {
    const { kind, reason, detail } = refusal
    if (kind === 'trap') return new ExtrinsicRefused(1011, 'Extrinsic execution trapped', detail)
    if (kind === 'unknown') return new ExtrinsicRefused(1011, 'Unknown Transaction Validity', reason)
    const words = INVALID[reason] ?? (reason === 'Custom' ? `Custom error: ${detail}` : reason)
    return new ExtrinsicRefused(1010, 'Invalid Transaction', words)
  }
}

const INVALID: Readonly<Record<string, string>> = {
  Call: 'Transaction call is not expected',
  Payment: 'Inability to pay some fees (e.g. account balance too low)',
  Future: 'Transaction will be valid in the future',
  Stale: 'Transaction is outdated',
  BadProof: 'Transaction has a bad signature',
  AncientBirthBlock: 'Transaction has an ancient birth block',
  ExhaustsResources: 'Transaction would exhaust the block limits',
  BadMandatory: 'A call was labelled as mandatory, but resulted in an Error.',
  MandatoryValidation: 'Transaction dispatch is mandatory; transactions must not be validated.',
  BadSigner: 'Invalid signing address',
}

/** An extrinsic on its way into a block, and the promises of those who brought it. */
export class Submission {
  readonly extrinsic: Hex
  readonly hash: Hex
  readonly bytes: number
  /** The address that it came from; undefined: a process of the product brought it. */
  readonly from: string | undefined
  /** SCALE bytes of the fee payer's address. */
  readonly sender: Hex
  /** Resolves when it is in a durable block, or is kept for later; rejects with ExtrinsicRefused. */
  readonly accepted: Promise<void>
  /** Resolves when it is in a durable block; rejects with ExtrinsicRefused. */
  readonly included: Promise<Inclusion>
  /** True where it is kept because an earlier nonce of its sender has not arrived. */
  waits = false
  #accept: () => void = () => {}
  #include: (inclusion: Inclusion) => void = () => {}
  #refuse: (reason: Error) => void = () => {}

  private constructor(extrinsic: Hex, sender: Hex, from: string | undefined) {
    this.extrinsic = extrinsic
    this.from = from
    this.sender = sender
    this.bytes = extrinsic.length / 2 - 1
    this.hash = hexOf(blake2AsU8a(bytesOf(extrinsic), 256))
    let refuseAcceptance = (_reason: Error) => {}
    this.accepted = new Promise((resolve, reject) => {
      this.#accept = resolve
      refuseAcceptance = reject
    })
    this.included = new Promise((resolve, reject) => {
      this.#include = resolve
      this.#refuse = (reason) => {
        reject(reason)
        refuseAcceptance(reason)
      }
    })
    this.accepted.catch(() => {}) // a caller that does not wait for one of the two still has the other
    this.included.catch(() => {})
  }

  /** Only signed extrinsics are taken: the unsigned ones of this runtime are the block author's. */
  static parse(extrinsic: Hex, from: string | undefined): Submission {
    const sender = senderOf(extrinsic)
    if (!sender) throw new ExtrinsicRefused(1010, 'Invalid Transaction', 'Not a signed extrinsic')
    return new Submission(extrinsic, sender, from)
  }

  include(inclusion: Inclusion): void {
    this.#include(inclusion)
    this.#accept()
  }

  wait(): void {
    this.waits = true
    this.#accept()
  }

  refuse(reason: Error): void {
    this.#refuse(reason)
  }
}

function senderOf(extrinsic: Hex): Hex | undefined {
  try {
    const encoded = bytesOf(extrinsic)
    const [offset, length] = compactFromU8a(encoded)
    const version = encoded[offset] ?? 0
    if (length.toNumber() !== encoded.length - offset || !(version & SIGNED)) return undefined
    return hexOf(types.createType('MultiAddress', encoded.subarray(offset + 1)).toU8a())
  } catch {
    return undefined // bytes that cannot be read are no extrinsic
  }
}
