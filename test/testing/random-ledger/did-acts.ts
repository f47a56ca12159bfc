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
import type { MakeAct } from './act.js'
import { Person } from './actor.js'
import type { Society } from './actors.js'

const { did: didCalls } = calls
const OTHER_KINDS = ['X25519', 'BabyJubJub', 'Bls12381G2', 'Secp256k1', 'Sr25519'] as const satisfies KeyKind[]

export const addKeys: MakeAct = (society) =>
  asController(society, (did, person) => {
    const { dice, place } = society
    const keys = dice.some(OTHER_KINDS, 2).map((kind): KeyInput => {
      const bytes = dice.bytes(KEY_LENGTHS[kind])
      // A compressed point of BLS12-381 that is not the one at infinity.
      if (kind === 'Bls12381G2') bytes[0] = 0x80 | ((bytes[0] ?? 0) & 0x1f)
      return { key: { kind, publicKey: hexOf(bytes) }, relationships: 0 }
    })
    return [didCalls.addKeys({ did, keys: [...keys, person.nextPair(dice, place.genesisHash, did).input] })]
  })

/** The key that acts is replaced so many times in one go: the last acts from then on, those between are in use at no block. */
const rotate =
  (times: number): MakeAct =>
  (society) => {
    const { dice, place } = society
    const person = society.anyone()
    const did = person && idOf(person)
    if (person === undefined || did === undefined) return undefined
    const pairs = Array.from({ length: times }, () => person.nextPair(dice, place.genesisHash, did))
    const last = pairs.at(-1)
    const replaced = (n: number) => (n === 0 ? person.keyId : person.known.nextKey + n - 1)
    const calls = pairs.map(({ input }, n) => didCalls.rotateKey({ did, old: replaced(n), new: input }))
    return last && { by: person, calls, done: whenAdded(last) }
  }

export const rotateOwnKey = rotate(1)
export const rotateTwice = rotate(2)

/** A key acts once the ledger tells its number. */
function whenAdded({ input, use }: ReturnType<Person['nextPair']>) {
  const isTold = ({ key }: { key: object }) => Object.values(key).includes(input.key.publicKey)
  return (events: readonly ChainEvent[]) => {
    for (const event of events) if (isEvent(event, 'Did.KeyAdded') && isTold(event.data)) use(event.data.keyId)
  }
}

/** A key that is compromised in the block that adds it. */
export const addKeyBriefly: MakeAct = (society) =>
  asController(society, (did, { known: { nextKey } }) => {
    const publicKey = hexOf(society.dice.bytes(KEY_LENGTHS.X25519))
    const key: KeyInput = { key: { kind: 'X25519', publicKey }, relationships: 0 }
    return [didCalls.addKeys({ did, keys: [key] }), didCalls.revokeKeys({ did, keys: [nextKey] })]
  })

/** Compromised, in use or retired before; at times the same twice. The key that acts stays. */
export const revokeKeys: MakeAct = (society) =>
  asController(society, (did, person) => {
    const numbers = Array.from({ length: person.known.nextKey - 1 }, (_, index) => index + 1)
    const keys = society.dice.some(
      numbers.filter((number) => number !== person.keyId),
      2,
    )
    return keys.length > 0 ? [didCalls.revokeKeys({ did, keys })] : []
  })

export const addControllers: MakeAct = (society) =>
  asController(society, (did) => [didCalls.addControllers({ did, controllers: society.someDids(2) })])

export const removeControllers: MakeAct = (society) =>
  asController(society, (did, { known: { controllers } }) =>
    controllers.size > 0
      ? [didCalls.removeControllers({ did, controllers: society.dice.some([...controllers], 2) })]
      : [],
  )

export const setService: MakeAct = (society) =>
  asController(society, (did, { name }) => [didCalls.setService({ did, service: serviceOf(society, name) })])

export const removeService: MakeAct = (society) =>
  asController(society, (did, { known: { services } }) => {
    const id = society.dice.of([...services])
    return id === undefined ? [] : [didCalls.removeService({ did, id })]
  })

/** Refused to those who convene a registry. */
export const deactivate: MakeAct = (society) => asController(society, (did) => [didCalls.deactivate({ did })])

/** Created and deactivated in one block. */
export const liveBriefly: MakeAct = (society) => {
  const { dice, place } = society
  const by = Person.ofLedger(dice, `Nobody ${dice.below(100)}`)
  const did = idOf(by)
  if (did === undefined) return undefined
  society.join(by)
  const birth = by.creation(place, { services: [serviceOf(society, by.name)] })
  return { by, birth, calls: [didCalls.deactivate({ did })] }
}

export function serviceOf({ dice }: Society, name: string) {
  const endpoints = Array.from(
    { length: 1 + dice.below(2) },
    () => `https://${dice.below(100)}.example/${encodeURIComponent(name)}`,
  )
  return { id: `service-${dice.below(4)}`, type: dice.of(['LinkedDomains', 'DIDCommMessaging']) ?? '', endpoints }
}

/** Mostly by itself, else by one of its controllers. */
function asController(
  society: Society,
  make: (did: Hex32, person: Person) => ReturnType<typeof didCalls.deactivate>[],
): ReturnType<MakeAct> {
  const person = society.anyone()
  const did = person && idOf(person)
  if (person === undefined || did === undefined) return undefined
  const controller = society.dice.of([...person.known.controllers])
  const by = (controller && society.dice.chance(0.5) && society.people.get(controller)) || person
  const made = make(did, person)
  return made.length > 0 ? { by, calls: made } : undefined
}

function idOf(person: Person): Hex32 | undefined {
  const hex = person.isOfLedger ? didToHex(person.did) : undefined
  return hex === undefined ? undefined : parseHex32(hex)
}
