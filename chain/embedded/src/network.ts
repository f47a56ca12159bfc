import { randomBytes } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519'
import { keyPair } from './keys.js'
import { artifactCode } from './runtime/artifact.js'
import { makeNetworkGenesis } from './runtime/genesis.js'
import { bytesOf, type Hex, hexOf } from './store/store.js'

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

export interface NetworkSettings {
  /** The name that people read, and the one that folders of the nodes have. */
  readonly name: string
  readonly id: string
  readonly validators: readonly { readonly aura: Hex; readonly grandpa: Hex }[]
  /** SS58 address of the account that may call `sudo`. */
  readonly sudo: string
  /** SS58 addresses of the accounts that have money from the start. */
  readonly feeAccounts: readonly string[]
}

export interface Specification {
  readonly name: string
  readonly id: string
  readonly genesis: { readonly raw: { readonly top: Record<Hex, Hex> } }
}

/** Makes the specification of a network, as a node reads it, by the runtime that this version of the software brings. */
export async function makeSpecification(
  settings: NetworkSettings,
): Promise<{ specification: Specification; genesisHash: Hex }> {
  const { encodeAddress } = await import('@polkadot/util-crypto')
  const address = (key: Hex) => encodeAddress(bytesOf(key), 42)
  const { block, state } = await makeNetworkGenesis(await artifactCode(), {
    sudo: settings.sudo,
    endowed: [settings.sudo, ...settings.feeAccounts],
    validators: settings.validators.map(({ aura, grandpa }) => ({ aura: address(aura), grandpa: address(grandpa) })),
  })
  const specification = {
    name: settings.name,
    id: settings.id,
    chainType: 'Local',
    bootNodes: [],
    telemetryEndpoints: null,
    protocolId: settings.id,
    properties: { ss58Format: 42 },
    codeSubstitutes: {},
    genesis: { raw: { top: Object.fromEntries(state), childrenDefault: {} } },
  }
  return { specification, genesisHash: block.hash }
}
