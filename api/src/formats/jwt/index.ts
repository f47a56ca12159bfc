import { headerIn } from '../compact/jws.js'
import type { CredentialFormat } from '../credential-format.js'
import { jsonLd } from '../json-ld/index.js'
import { buildToken } from './build-token.js'
import { recogniseToken } from './recognise-token.js'

/**
 * Credentials as JSON Web Tokens: those of data model 1.1 in the claim `vc`
 * (https://www.w3.org/TR/vc-data-model/#json-web-token), those of 2.0 as the payload (https://www.w3.org/TR/vc-jose-cose/).
 */
export const jwt: CredentialFormat = {
  name: 'jwt',
  algorithms: [{ name: 'ed25519', keyKind: 'Ed25519', primitive: 'sign' }],
  registryTypeFor: jsonLd.registryTypeFor,
  build: buildToken,
  recognise: (given) =>
    typeof given === 'string' && headerIn(given) !== undefined ? recogniseToken(given) : undefined,
}
