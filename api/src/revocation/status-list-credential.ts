import { signingKey } from '../dids/did.store.js'
import type { StatusListState } from '../ledger/status-list.js'
import type { Environment } from '../platform/context.js'
import { NO_EXTRA_CONTEXTS } from '../suites/document-loader.js'
import { ed25519Of2020 } from '../suites/ed25519-2020.js'
import { CREDENTIALS_V1, ED25519_2020, STATUS_LIST_2021 } from '../suites/known-contexts.js'
import { addProof } from '../suites/linked-data-proof.js'
import { encodeStatusList } from '../suites/status-list.js'
import { statusListUrl } from './status-entry.js'
import { findSignedList, keepSignedList } from './status-list.store.js'

type Door = Pick<Environment, 'db' | 'signer' | 'clock' | 'config'>

/**
 * The StatusList2021 credential of a registry's bits, signed by the DID that made the registry. Signed when somebody
 * asks and the bits have changed (or the key has); kept until then. When the key is gone the last version stays.
 * @returns its JSON; undefined when there is none and no key to make one
 */
export async function statusListCredential(
  door: Door,
  registryId: string,
  list: StatusListState,
  issuanceDate: Date,
): Promise<string | undefined> {
  // Lists are public: whoever asks, the key of the registry's creator signs.
  const { key, kept } = await door.db.read('system', async (reader) => ({
    key: await signingKey(reader, list.creator),
    kept: await findSignedList(reader, registryId, list.changedAt),
  }))
  if (kept && (!key || kept.changedAt === list.changedAt) && (!key || kept.signedBy === key.verificationMethod))
    return kept.document
  if (!key) return undefined
  const unsigned = await unsignedList(statusListUrl(door.config.apiUrl, registryId), list, issuanceDate)
  const signed = await addProof({
    document: unsigned,
    suite: ed25519Of2020,
    options: {
      created: door.clock.now().toISOString(),
      verificationMethod: key.verificationMethod,
      proofPurpose: 'assertionMethod',
    },
    contexts: NO_EXTRA_CONTEXTS,
    sign: async (bytes) => {
      const [signature] = await door.signer.sign([{ keyRef: key.keyRef, bytes }])
      if (!signature) throw new Error('the signer answered no signature')
      return signature
    },
  })
  const document = JSON.stringify(signed)
  const row = { registryId, changedAt: list.changedAt, signedBy: key.verificationMethod, document }
  await door.db.transaction('system', (tx) => keepSignedList(tx, row, door.clock.now()))
  return document
}

/** @param issuanceDate when the bits became what they are */
async function unsignedList(url: string, { bits, creator }: StatusListState, issuanceDate: Date) {
  return {
    '@context': [CREDENTIALS_V1, STATUS_LIST_2021, ED25519_2020],
    id: url,
    type: ['VerifiableCredential', 'StatusList2021Credential'],
    issuer: creator,
    issuanceDate: `${issuanceDate.toISOString().slice(0, 19)}Z`,
    credentialSubject: {
      id: `${url}#list`,
      type: 'StatusList2021',
      statusPurpose: 'revocation',
      encodedList: await encodeStatusList(bits),
    },
  }
}
