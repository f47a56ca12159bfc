import { CREDENTIALS_V1, ED25519_2020, STATUS_LIST_2021 } from '../../formats/json-ld/contexts/known-contexts.js'
import { ed25519Of2020 } from '../../formats/json-ld/suites/ed25519-2020.js'
import { toSeconds } from '../../platform/process/clock.js'
import type { Publisher, PublishingDoor } from '../status-method.js'
import { encodeStatusList } from './encoded-list.js'
import type { UnsignedList } from './list-form.js'
import { signListDocument } from './sign-list-document.js'

/** Returns a StatusList2021Credential. */
export async function signStatusListCredential(
  door: PublishingDoor,
  { url, bits, terms, since, until, signedAt }: UnsignedList,
  by: Publisher,
): Promise<string> {
  const document = {
    '@context': [CREDENTIALS_V1, STATUS_LIST_2021, ED25519_2020],
    id: url,
    type: ['VerifiableCredential', 'StatusList2021Credential'],
    issuer: by.did,
    issuanceDate: toSeconds(since),
    ...(until && { expirationDate: until.toISOString() }),
    credentialSubject: {
      id: `${url}#list`,
      type: 'StatusList2021',
      statusPurpose: terms.purpose,
      encodedList: await encodeStatusList(bits),
    },
  }
  return signListDocument(door, ed25519Of2020, { document, signedAt }, by)
}
