import { headerIn } from '../compact/jws.js'
import type { CredentialFormat } from '../credential-format.js'
import { buildToken } from './build-token.js'
import { recogniseToken } from './recognise-token.js'

const common = {
  algorithms: [{ name: 'ed25519', keyKind: 'Ed25519', primitive: 'sign' }],
  registryTypeFor: () => 'TokenStatusList',
} as const

/** Credentials as SD-JWT VC: a holder shows which claims it likes. RFC 9901, draft-ietf-oauth-sd-jwt-vc */
export const sdJwt: CredentialFormat = {
  ...common,
  name: 'sdjwt',
  build: buildToken('dc+sd-jwt'),
  recognise: (given) => (typeof given === 'string' && isToken(given) ? recogniseToken(given) : undefined),
}

/** The same with the type that wallets knew before: OpenID for credentials calls that format so. */
export const sdJwtOfOlderType: CredentialFormat = {
  ...common,
  name: 'vc+sd-jwt',
  build: buildToken('vc+sd-jwt'),
  recognise: () => undefined,
}

const isToken = (text: string): boolean =>
  /^[\w.~-]+$/.test(text) && headerIn(text.split('~', 1)[0] ?? '') !== undefined && text.includes('~')
