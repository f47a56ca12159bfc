import { createHash } from 'node:crypto'
import { hexOf } from '@accredit/chain/bytes'

export interface Governance {
  version: string
  text: string
}

/** The lower-case hexadecimal SHA-256 of the version, a line feed, and the text. */
export const governanceDigest = ({ version, text }: Governance): string =>
  createHash('sha256').update(`${version}\n${text}`, 'utf8').digest('hex')

/**
 * The ledger's reference to a governance framework: the address of its text, and the digest by which a reader sees that
 * it is the text that the convener meant.
 */
export const governanceReference = (publicUrl: string, registryId: string, governance: Governance): string =>
  `${publicUrl}/trust-registries/${registryId}/public#sha256-${governanceDigest(governance)}`

/** Returns the reference as bytes in hexadecimal, the form in which wallets expect it. */
export const referenceHex = (reference: string): string =>
  /^0x(?:[0-9a-f]{2})*$/.test(reference) ? reference : hexOf(Buffer.from(reference, 'utf8'))
