import { headerIn } from '../compact/jws.js'
import type { CredentialFormat } from '../credential-format.js'
import { buildToken } from './build-token.js'
import { recogniseToken } from './recognise-token.js'

/**
 * Credentials as JSON Web Tokens: data model 1.1 with its claim `vc`. https://www.w3.org/TR/vc-data-model/#json-web-token
 */
export const jwt: CredentialFormat = {
  name: 'jwt',
  algorithms: [{ name: 'ed25519', keyKind: 'Ed25519', primitive: 'sign' }],
  registryTypeFor: () => 'StatusList2021Entry',
  build: buildToken,
  recognise: (given) =>
    typeof given === 'string' && headerIn(given) !== undefined ? recogniseToken(given) : undefined,
}
