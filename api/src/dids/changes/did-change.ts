import { calls, type EncodedCall, type Hex32, hexIn, hexOf } from '@accredit/chain'
import { storedDid } from '../../ledger/read/did-state.js'
import type { MadeKey } from '../../ledger/write/signer-door.js'
import type { ActingKey, OwnDid } from '../did.store.js'
import type { StoredService } from '../did.tables.js'
import { relationshipsOf } from '../did-creation.js'

export interface NewKeyOfDid {
  made: MadeKey
  /** An Ed25519 key's own signature, which proves that the caller has the key. */
  possession?: Uint8Array
}

/** The wished state of a DID of the caller. */
export interface DidChange {
  own: OwnDid
  id: Hex32
  newKey: NewKeyOfDid | undefined
  /** The key that the new key replaces; undefined: the new key is added. */
  oldKey: Pick<ActingKey, 'keyId' | 'keyRef'> | undefined
  controller: string | undefined
  /** All services afterwards; the very list that the DID has where they stay. */
  services: StoredService[]
}

/**
 * The calls that bring a change to the ledger, and the controllers that it adds and removes. No calls where nothing
 * differs.
 */
export function callsFor(change: DidChange): { calls: EncodedCall[]; added: string[]; removed: string[] } {
  const { own, id: did, controller } = change
  const { added, removed } = controllerChange(own, controller)
  return {
    added,
    removed,
    calls: [
      ...keyCalls(change),
      ...(added.length > 0 ? [calls.did.addControllers({ did, controllers: added.map(storedDid) })] : []),
      ...(removed.length > 0 ? [calls.did.removeControllers({ did, controllers: removed.map(storedDid) })] : []),
      ...serviceCalls(change),
    ],
  }
}

function keyCalls({ id: did, newKey, oldKey }: DidChange): EncodedCall[] {
  if (newKey === undefined) return []
  const { made, possession } = newKey
  const input = {
    key: { kind: made.kind, publicKey: hexIn(made.publicKey) },
    relationships: relationshipsOf[made.kind],
    ...(possession === undefined ? {} : { possession: hexOf(possession) }),
  }
  if (oldKey === undefined) return [calls.did.addKeys({ did, keys: [input] })]
  return [calls.did.rotateKey({ did, old: oldKey.keyId, new: input })]
}

function serviceCalls({ own, id: did, services }: DidChange): EncodedCall[] {
  const gone = own.services.filter(({ id }) => services.every((service) => service.id !== id))
  const changed = services.filter((service) => !own.services.includes(service))
  return [
    ...gone.map(({ id }) => calls.did.removeService({ did, id })),
    ...changed.map((service) => calls.did.setService({ did, service })),
  ]
}

function controllerChange({ did, controllers }: OwnDid, wanted: string | undefined) {
  if (wanted === undefined) return { added: [], removed: [] }
  const added = wanted === did || controllers.includes(wanted) ? [] : [wanted]
  return { added, removed: controllers.filter((controller) => controller !== wanted) }
}
