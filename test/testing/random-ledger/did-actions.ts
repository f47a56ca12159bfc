import {
  type ChainEvent,
  calls,
  didToHex,
  type Hex32,
  hexOf,
  isEvent,
  KEY_LENGTHS,
  type KeyInput,
  type KeyKind,
  parseHex32,
} from '@accredit/chain'
import { Actor } from './actor.js'
import type { Actors } from './actors.js'
import type { MakeLedgerAction } from './ledger-action.js'

const { did: didCalls } = calls
const OTHER_KINDS = ['X25519', 'BabyJubJub', 'Bls12381G2', 'Secp256k1', 'Sr25519'] as const satisfies KeyKind[]

export const addKeys: MakeLedgerAction = (actors) =>
  asController(actors, (did, actor) => {
    const { random, place } = actors
    const keys = random.some(OTHER_KINDS, 2).map((kind): KeyInput => {
      const bytes = random.bytes(KEY_LENGTHS[kind])
      // A compressed point of BLS12-381 that is not the one at infinity.
      if (kind === 'Bls12381G2') bytes[0] = 0x80 | ((bytes[0] ?? 0) & 0x1f)
      return { key: { kind, publicKey: hexOf(bytes) }, relationships: 0 }
    })
    return [didCalls.addKeys({ did, keys: [...keys, actor.nextPair(random, place.genesisHash, did).input] })]
  })

/**
 * Replaces the acting key several times in one action: the last one acts from then on, those between are in use at no
 * block.
 */
const rotate =
  (times: number): MakeLedgerAction =>
  (actors) => {
    const { random, place } = actors
    const actor = actors.anyone()
    const did = actor && idOf(actor)
    if (actor === undefined || did === undefined) return undefined
    const pairs = Array.from({ length: times }, () => actor.nextPair(random, place.genesisHash, did))
    const last = pairs.at(-1)
    const replaced = (n: number) => (n === 0 ? actor.keyId : actor.known.nextKey + n - 1)
    const calls = pairs.map(({ input }, n) => didCalls.rotateKey({ did, old: replaced(n), new: input }))
    return last && { by: actor, calls, done: whenAdded(last) }
  }

export const rotateOwnKey = rotate(1)
export const rotateTwice = rotate(2)

/** Has a key act once the ledger tells its number. */
function whenAdded({ input, use }: ReturnType<Actor['nextPair']>) {
  const isTold = ({ key }: { key: object }) => Object.values(key).includes(input.key.publicKey)
  return (events: readonly ChainEvent[]) => {
    for (const event of events) if (isEvent(event, 'Did.KeyAdded') && isTold(event.data)) use(event.data.keyId)
  }
}

/** Adds a key and revokes it in the same block. */
export const addKeyBriefly: MakeLedgerAction = (actors) =>
  asController(actors, (did, { known: { nextKey } }) => {
    const publicKey = hexOf(actors.random.bytes(KEY_LENGTHS.X25519))
    const key: KeyInput = { key: { kind: 'X25519', publicKey }, relationships: 0 }
    return [didCalls.addKeys({ did, keys: [key] }), didCalls.revokeKeys({ did, keys: [nextKey] })]
  })

/** Revokes keys that are in use, retired or revoked already, but never the acting one. */
export const revokeKeys: MakeLedgerAction = (actors) =>
  asController(actors, (did, actor) => {
    const numbers = Array.from({ length: actor.known.nextKey - 1 }, (_, index) => index + 1)
    const keys = actors.random.some(
      numbers.filter((number) => number !== actor.keyId),
      2,
    )
    return keys.length > 0 ? [didCalls.revokeKeys({ did, keys })] : []
  })

export const addControllers: MakeLedgerAction = (actors) =>
  asController(actors, (did) => [didCalls.addControllers({ did, controllers: actors.someDids(2) })])

export const removeControllers: MakeLedgerAction = (actors) =>
  asController(actors, (did, { known: { controllers } }) =>
    controllers.size > 0
      ? [didCalls.removeControllers({ did, controllers: actors.random.some([...controllers], 2) })]
      : [],
  )

export const setService: MakeLedgerAction = (actors) =>
  asController(actors, (did, { name }) => [didCalls.setService({ did, service: serviceOf(actors, name) })])

export const removeService: MakeLedgerAction = (actors) =>
  asController(actors, (did, { known: { services } }) => {
    const id = actors.random.of([...services])
    return id === undefined ? [] : [didCalls.removeService({ did, id })]
  })

/** The ledger refuses this to the convener of a registry. */
export const deactivate: MakeLedgerAction = (actors) => asController(actors, (did) => [didCalls.deactivate({ did })])

/** Creates a DID and deactivates it in the same block. */
export const liveBriefly: MakeLedgerAction = (actors) => {
  const { random, place } = actors
  const by = Actor.ofLedger(random, `Nobody ${random.below(100)}`)
  const did = idOf(by)
  if (did === undefined) return undefined
  actors.join(by)
  const creation = by.creation(place, { services: [serviceOf(actors, by.name)] })
  return { by, creation, calls: [didCalls.deactivate({ did })] }
}

export function serviceOf({ random }: Actors, name: string) {
  const endpoints = Array.from(
    { length: 1 + random.below(2) },
    () => `https://${random.below(100)}.example/${encodeURIComponent(name)}`,
  )
  return { id: `service-${random.below(4)}`, type: random.of(['LinkedDomains', 'DIDCommMessaging']) ?? '', endpoints }
}

/** Lets a DID act for itself or, at times, one of its controllers for it. */
function asController(
  actors: Actors,
  make: (did: Hex32, actor: Actor) => ReturnType<typeof didCalls.deactivate>[],
): ReturnType<MakeLedgerAction> {
  const actor = actors.anyone()
  const did = actor && idOf(actor)
  if (actor === undefined || did === undefined) return undefined
  const controller = actors.random.of([...actor.known.controllers])
  const by = (controller && actors.random.chance(0.5) && actors.byDid.get(controller)) || actor
  const made = make(did, actor)
  return made.length > 0 ? { by, calls: made } : undefined
}

function idOf(actor: Actor): Hex32 | undefined {
  const hex = actor.isOfLedger ? didToHex(actor.did) : undefined
  return hex === undefined ? undefined : parseHex32(hex)
}
