import { blake2b } from '@noble/hashes/blake2'
import { JsonCodec } from '@subsquid/scale-codec'
import type { Runtime } from '@subsquid/substrate-runtime'
import { CallType, sts } from '../types/support'

const HASH_BYTES = 32
const setTime = new CallType('Timestamp.set', sts.struct({ now: sts.bigint() }))

/** An extrinsic, of which is read what somebody asks for. */
export class Extrinsic {
  private readonly bytes: Uint8Array
  private knownHash: string | undefined

  constructor(
    private readonly runtime: Runtime,
    hex: string,
  ) {
    this.bytes = Buffer.from(hex.slice(2), 'hex')
  }

  get hash(): string {
    this.knownHash ??= `0x${Buffer.from(blake2b(this.bytes, { dkLen: HASH_BYTES })).toString('hex')}`
    return this.knownHash
  }

  /** The account that signed it; undefined: nobody did. */
  get signer(): string | undefined {
    // A MultiAddress, which the library leaves untyped.
    const address = this.decoded().signature?.address
    if (typeof address !== 'object' || address === null || !('value' in address)) return undefined
    return typeof address.value === 'string' ? address.value : undefined
  }

  /** The time that it gives its block, in ms since 1970; undefined: it gives none. */
  get time(): number | undefined {
    const { name, args } = this.runtime.toCallRecord(this.decoded().call)
    if (name !== setTime.name) return undefined
    return Number(setTime.decode({ block: { _runtime: this.runtime }, name, args: JsonCodec.encode(args) }).now)
  }

  private decoded() {
    return this.runtime.decodeExtrinsic(this.bytes)
  }
}
