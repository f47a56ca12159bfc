import { randomBytes } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519'
import { keyPair } from './keys.js'
import { artifactCode } from './runtime/artifact.js'
import { makeNetworkGenesis } from './runtime/genesis.js'
import { Runtime } from './runtime/runtime.js'
import { bytesOf, type Hex, hexOf } from './store/store.js'

export { type KeyPair as AccountPair, keyPair as accountPair } from './keys.js'
export { CODE_KEY } from './runtime/runtime.js'

/** A secret seed and the public key that belongs to it, 32 bytes each. */
export interface KeyPair {
  readonly secret: Hex
  readonly public: Hex
}

/** The session keys of a validator: Sr25519 for the blocks that it authors, Ed25519 for its votes on what is final. */
export interface SessionKeys {
  readonly aura: KeyPair
  readonly grandpa: KeyPair
}

export async function randomSessionKeys(): Promise<SessionKeys> {
  const [aura, grandpa] = [hexOf(randomBytes(32)), hexOf(randomBytes(32))]
  return {
    aura: { secret: aura, public: hexOf((await keyPair(aura)).publicKey) },
    grandpa: { secret: grandpa, public: ed25519Public(grandpa) },
  }
}

/** Returns the Ed25519 public key of a seed of 32 bytes. */
export const ed25519Public = (secret: Hex): Hex => hexOf(ed25519.getPublicKey(bytesOf(secret)))

/** Returns the SS58 address of the account of a seed of 32 bytes. */
export const accountOf = async (secret: Hex): Promise<string> => (await keyPair(secret)).address

/** The name of the council's treasury in the runtime, after the letters that every account of a pallet begins with. */
const TREASURY = 'modlaccredit'

/** Returns the SS58 address of the council's treasury, which has no key. */
export async function treasury(): Promise<string> {
  const { encodeAddress } = await import('@polkadot/util-crypto')
  return encodeAddress(Buffer.from(TREASURY.padEnd(32, '\0')), 42)
}

/** Returns the SS58 address of a text where it is one of an account. */
export async function addressOf(text: string): Promise<string | undefined> {
  const { checkAddress } = await import('@polkadot/util-crypto')
  return checkAddress(text, 42)[0] ? text : undefined
}

/** Tells the version of a runtime, compressed or not, and the hash of its bytes that a council votes on. */
export async function describeRuntime(code: Hex): Promise<{ version: number; hash: Hex }> {
  const { blake2AsU8a } = await import('@polkadot/util-crypto')
  return { version: (await Runtime.load(code)).version.specVersion, hash: hexOf(blake2AsU8a(bytesOf(code), 256)) }
}

export interface NetworkSettings {
  /** The name that people read, and the one that folders of the nodes have. */
  readonly name: string
  readonly id: string
  /** The account of each validator, as SS58, and the public keys of its session. */
  readonly validators: readonly { readonly account: string; readonly aura: Hex; readonly grandpa: Hex }[]
  /** SS58 addresses of the members of the council. */
  readonly council: readonly string[]
  /** SS58 addresses of the accounts that have money from the start. */
  readonly feeAccounts: readonly string[]
  /** The multiaddresses of nodes that every other node asks first; none unless given. */
  readonly bootNodes?: readonly string[]
}

export interface Specification {
  readonly name: string
  readonly id: string
  readonly bootNodes: readonly string[]
  readonly genesis: { readonly raw: { readonly top: Record<Hex, Hex> } }
}

/** Makes the specification of a network, as a node reads it, by the runtime that this version of the software brings. */
export async function makeSpecification(
  settings: NetworkSettings,
): Promise<{ specification: Specification; genesisHash: Hex }> {
  const { encodeAddress } = await import('@polkadot/util-crypto')
  const address = (key: Hex) => encodeAddress(bytesOf(key), 42)
  const { validators, council, feeAccounts } = settings
  const { block, state } = await makeNetworkGenesis(await artifactCode(), {
    validators: validators.map(({ account, aura, grandpa }) => ({
      account,
      aura: address(aura),
      grandpa: address(grandpa),
    })),
    council,
    endowed: [await treasury(), ...council, ...validators.map(({ account }) => account), ...feeAccounts],
  })
  const specification = {
    name: settings.name,
    id: settings.id,
    chainType: 'Local',
    bootNodes: settings.bootNodes ?? [],
    telemetryEndpoints: null,
    protocolId: settings.id,
    properties: { ss58Format: 42 },
    codeSubstitutes: {},
    genesis: { raw: { top: Object.fromEntries(state), childrenDefault: {} } },
  }
  return { specification, genesisHash: block.hash }
}
