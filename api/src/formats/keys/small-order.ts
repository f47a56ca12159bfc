/**
 * The encodings of Ed25519's eight points of small order, reduced or not, without the bit for the sign of x. Anybody
 * can sign anything with such a point as the key, so a proof by one proves nothing. The ledger refuses the same ones.
 */
const SMALL_ORDER = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
])

/** @param point 32 bytes: a public key, or the first half of a signature */
export function isSmallOrder(point: Uint8Array): boolean {
  const unsigned = Buffer.from(point)
  unsigned[31] = (unsigned[31] ?? 0) & 0x7f
  return SMALL_ORDER.has(unsigned.toString('hex'))
}
