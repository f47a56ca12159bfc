import { CREDENTIALS_V2 } from '../../formats/json-ld/contexts/known-contexts.js'
import { eddsaRdfc2022 } from '../../formats/json-ld/suites/eddsa-rdfc-2022.js'
import { toSeconds } from '../../platform/process/clock.js'
import type { UnsignedList } from '../status-list/list-form.js'
import { signListDocument } from '../status-list/sign-list-document.js'
import type { Publisher, PublishingDoor } from '../status-method.js'
import { encodeBitstring } from './encoded-bitstring.js'

/**
 * Returns a BitstringStatusListCredential. Only one of the past ends: the present one has to stay good when nobody is left
 * who could sign it anew, and `ttl` says how long it may be kept.
 */
export async function signBitstringCredential(
  door: PublishingDoor,
  { url, bits, terms, since, until, signedAt }: UnsignedList,
  by: Publisher,
): Promise<string> {
  const document = {
    '@context': [CREDENTIALS_V2],
    id: url,
    type: ['VerifiableCredential', 'BitstringStatusListCredential'],
    issuer: by.did,
    validFrom: toSeconds(since),
    ...(until && { validUntil: until.toISOString() }),
    credentialSubject: {
      id: `${url}#list`,
      type: 'BitstringStatusList',
      statusPurpose: terms.purpose,
      encodedList: await encodeBitstring(bits),
      ttl: terms.ttl_seconds * 1000,
    },
  }
  return signListDocument(door, eddsaRdfc2022, { document, signedAt }, by)
}
