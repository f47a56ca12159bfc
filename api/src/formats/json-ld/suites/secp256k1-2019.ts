import { verifyEcdsa } from '../../keys/key-object.js'
import { detachedJws } from './detached-jws.js'
import { rdfHash } from './rdf-hash.js'
import type { SignatureSuite } from './signature-suite.js'

/** EcdsaSecp256k1Signature2019 (ES256K), which nothing here issues. https://w3c-ccg.github.io/lds-ecdsa-secp256k1-2019/ */
export const secp256k1Of2019: SignatureSuite = {
  ...detachedJws('ES256K'),
  keyKind: 'Secp256k1',
  proofType: 'EcdsaSecp256k1Signature2019',
  isDeprecated: true,
  hash: rdfHash,
  verify: async (publicKey, signed, signature) =>
    signature.length === 64 && verifyEcdsa('Secp256k1', publicKey, signed, signature),
}
