/**
 * Accumulators of Vitto and Biryukov: a point that stands for a set of members. Whoever has the key removes members, adds
 * them again, and makes the witness of any; nothing of the set is kept. https://eprint.iacr.org/2020/777
 */
import crypto from '@docknetwork/crypto-wasm-ts'

/** Points in the compressed form. */
export type AccumulatorWork = { accumulated: Uint8Array } & (
  | { additions: readonly number[]; removals: readonly number[] }
  | { members: readonly number[] }
)

export type AccumulatorWorked =
  | { accumulated: Uint8Array; witnessUpdateInfo: Uint8Array }
  | { witnesses: readonly Uint8Array[] }

/** @throws for a value that is no point, or the point at infinity, which everything is a member of */
export async function workOn(secret: Uint8Array, work: AccumulatorWork): Promise<AccumulatorWorked> {
  const before = work.accumulated
  if (isIdentity(before)) throw new TypeError('the value is the point at infinity')
  const key = new crypto.AccumulatorSecretKey(secret)
  const accumulator = crypto.PositiveAccumulator.fromAccumulated(before)
  if ('members' in work) {
    const made = await accumulator.membershipWitnessesForBatch(work.members.map(memberOf), key)
    return { witnesses: made.map(({ value }) => bytesOf(value)) }
  }
  const [additions, removals] = [work.additions.map(memberOf), work.removals.map(memberOf)]
  const info = crypto.VBWitnessUpdateInfo.new(before, additions, removals, key)
  await accumulator.addRemoveBatches(additions, removals, key)
  return { accumulated: bytesOf(accumulator.accumulated), witnessUpdateInfo: bytesOf(info.value) }
}

/** The library answers arrays of numbers in place of bytes here and there. */
const bytesOf = (value: ArrayLike<number>): Uint8Array => Uint8Array.from(value)

const encode = crypto.Encoder.defaultEncodeFunc()

/** The field element of a member: as a credential's `revocationId` is encoded when it is signed. */
const memberOf = (index: number): Uint8Array => encode(String(index))

const isIdentity = ([first = 0]: Uint8Array): boolean => (first & 0x40) !== 0
