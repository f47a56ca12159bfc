import { asArray } from '../../json.js'
import { sha256 } from '../canonical/canonize.js'
import { BJJ_2021 } from '../contexts/known-contexts.js'
import { multibaseSignature } from './multibase-signature.js'
import { rdfHash } from './rdf-hash.js'
import type { IssuingSuite, Unsigned } from './signature-suite.js'

/**
 * BJJSignature2021 in a form of our own, since no standard gives one: EdDSA over Baby Jubjub with Poseidon, over the
 * hash that the other suites of RDF sign. README.md in this folder writes it down.
 */
export const bjjOf2021: IssuingSuite = {
  ...multibaseSignature,
  algorithm: { name: 'bjj-2021', aliases: ['bjj'], keyKind: 'BabyJubJub', primitive: 'signMessages' },
  keyKind: 'BabyJubJub',
  proofType: 'BJJSignature2021',
  contexts: { '1.1': [BJJ_2021], '2.0': [BJJ_2021] },
  proofFor: (_document, options) => ({ type: 'BJJSignature2021', ...options }),
  hash: rdfHash,
  toSign: fieldElementOf,
  signatureOf(proof, hash) {
    const found = multibaseSignature.signatureOf(proof, hash)
    return typeof found === 'string' ? found : { ...found, signed: fieldElementOf(hash) }
  },
  otherForm: (unsigned) => (isOfThisForm(unsigned) ? undefined : OTHER_FORM),
  verify: (publicKey, signed, signature, { babyJubJub }) => babyJubJub.isSignature(publicKey, signed, signature),
}

const OTHER_FORM =
  `the proof is a BJJSignature2021 of another form: this service checks the one that its own context ` +
  `(${BJJ_2021}) defines, with a proofValue`

/** Other software calls proofs over the claims of its identities by the same name; these have no `proofValue`. */
const isOfThisForm = ({ document, proof }: Unsigned): boolean =>
  asArray(document['@context']).includes(BJJ_2021) && 'proofValue' in proof

/**
 * The number that is signed: SHA-256 of the hash, little-endian, without its three highest bits. So it is below 2^253,
 * and below the order of the field.
 */
function fieldElementOf(hash: Uint8Array): Uint8Array {
  const element = sha256(hash)
  element[31] = (element[31] ?? 0) & 0x1f
  return element
}
