const MILLIONTHS = 1_000_000n

/** Writes millionths of a currency unit, in which the ledger counts, as people do: `1500000` is 1.5. */
export function amountOf(millionths: bigint): string {
  const whole = millionths / MILLIONTHS
  const part = (millionths % MILLIONTHS).toString().padStart(6, '0').replace(/0+$/, '')
  return part === '' ? whole.toString() : `${whole}.${part}`
}
