import type { Hex, Hex32 } from './bytes.js'
import { chainDid, type Did } from './did.js'
import type * as chain from './generated/calls.js'
import type { CallParameters } from './generated/calls.js'
import type { ChainKey, KeyEntry, KeyInput, KeyKind, ServiceEntry } from './key.js'
import {
  type DelegatedUpdate,
  encodableDelegated,
  encodableDids,
  encodableSchemas,
  type SchemasUpdate,
  text,
} from './schemas-update.js'
import { type ChainTypes, chainTypes } from './types.js'

/** Bytes of one runtime call. */
export type EncodedCall = Uint8Array

export type RegistryKind = chain.KindInput

/** A new value of an accumulator, which follows the value of the version that it names. */
export interface AccumulatorUpdate {
  readonly registryId: Hex32
  readonly expectedVersion: number
  readonly accumulated: Hex
  /** The members, below 2^20, at most 1,000 in both lists together. */
  readonly additions?: readonly number[]
  readonly removals?: readonly number[]
  /** The update info, at most 64 KiB; holders update their witnesses from it. */
  readonly witnessUpdateInfo: Hex
}

/** Builders of every call that a DID can make. They encode by the metadata of a runtime. */
export function callsOf(types: ChainTypes) {
  return { did: didCalls(types), trustRegistry: trustRegistryCalls(types), revocation: revocationCalls(types) }
}

export type Calls = ReturnType<typeof callsOf>

function didCalls(types: ChainTypes) {
  const call = callWith(types)
  return {
    addKeys: (p: { did: Hex32; keys: readonly KeyInput[] }) =>
      call('did.addKeys', p.did, p.keys.map(encodableKeyInput)),
    rotateKey: (p: { did: Hex32; old: number; new: KeyInput }) =>
      call('did.rotateKey', p.did, p.old, encodableKeyInput(p.new)),
    revokeKeys: (p: { did: Hex32; keys: readonly number[] }) => call('did.revokeKeys', p.did, [...new Set(p.keys)]),
    addControllers: (p: { did: Hex32; controllers: readonly Did[] }) =>
      call('did.addControllers', p.did, encodableDids(p.controllers)),
    removeControllers: (p: { did: Hex32; controllers: readonly Did[] }) =>
      call('did.removeControllers', p.did, encodableDids(p.controllers)),
    setService: (p: { did: Hex32; service: ServiceEntry }) =>
      call('did.setService', p.did, encodableService(p.service)),
    removeService: (p: { did: Hex32; id: string }) => call('did.removeService', p.did, text(p.id)),
    deactivate: (p: { did: Hex32 }) => call('did.deactivate', p.did),
  }
}

function trustRegistryCalls(types: ChainTypes) {
  const call = callWith(types)
  type OfDids = 'suspendIssuers' | 'unsuspendIssuers' | 'suspendVerifiers' | 'unsuspendVerifiers'
  const dids = (name: OfDids) => (p: { registryId: Hex32; dids: readonly Did[] }) =>
    call(`trustRegistry.${name}`, p.registryId, encodableDids(p.dids))
  return {
    initOrUpdate: (p: { registryId: Hex32; name: string; govFramework: string }) =>
      call('trustRegistry.initOrUpdateTrustRegistry', p.registryId, text(p.name), text(p.govFramework)),
    setSchemasMetadata: (p: { registryId: Hex32; update: SchemasUpdate; expectedVersion?: number }) =>
      call('trustRegistry.setSchemasMetadata', p.registryId, encodableSchemas(p.update), p.expectedVersion ?? null),
    suspendIssuers: dids('suspendIssuers'),
    unsuspendIssuers: dids('unsuspendIssuers'),
    updateDelegatedIssuers: (p: { registryId: Hex32; delegated: DelegatedUpdate }) =>
      call('trustRegistry.updateDelegatedIssuers', p.registryId, encodableDelegated(p.delegated)),
    suspendVerifiers: dids('suspendVerifiers'),
    unsuspendVerifiers: dids('unsuspendVerifiers'),
    remove: (p: { registryId: Hex32 }) => call('trustRegistry.removeTrustRegistry', p.registryId),
    transfer: (p: { registryId: Hex32; newConvener: Did }) =>
      call('trustRegistry.transferTrustRegistry', p.registryId, chainDid(p.newConvener)),
    accept: (p: { registryId: Hex32 }) => call('trustRegistry.acceptTrustRegistry', p.registryId),
  }
}

function revocationCalls(types: ChainTypes) {
  const call = callWith(types)
  return {
    create: (p: { registryId: Hex32; policy: readonly Did[]; addOnly: boolean; kind: RegistryKind }) =>
      call('revocation.create', p.registryId, encodableDids(p.policy), p.addOnly, p.kind),
    setStatus: (p: { registryId: Hex32; revoke?: readonly number[]; unrevoke?: readonly number[] }) =>
      call('revocation.setStatus', p.registryId, [...new Set(p.revoke)], [...new Set(p.unrevoke)]),
    updateAccumulator: (p: AccumulatorUpdate) =>
      call(
        'revocation.updateAccumulator',
        p.registryId,
        p.expectedVersion,
        p.accumulated,
        [...new Set(p.additions)],
        [...new Set(p.removals)],
        p.witnessUpdateInfo,
      ),
    remove: (p: { registryId: Hex32 }) => call('revocation.remove', p.registryId),
  }
}

/** The calls by their full name, with their parameters as the metadata has them. */
export function callWith(types: ChainTypes) {
  return <Name extends keyof CallParameters>(name: Name, ...parameters: CallParameters[Name]): EncodedCall => {
    const [pallet = '', call = ''] = name.split('.')
    return types.call(pallet, call, ...parameters)
  }
}

/** The builders for the runtime that this version of the software brings. */
export const calls: Calls = {
  get did() {
    return ofArtifact().did
  },
  get trustRegistry() {
    return ofArtifact().trustRegistry
  },
  get revocation() {
    return ofArtifact().revocation
  },
}

let built: Calls | undefined

function ofArtifact(): Calls {
  built ??= callsOf(chainTypes())
  return built
}

const PUBLIC_KEYS: Readonly<Record<KeyKind, (publicKey: Hex) => chain.PublicKey>> = {
  Ed25519: (publicKey) => ({ Ed25519: publicKey }),
  X25519: (publicKey) => ({ X25519: publicKey }),
  BabyJubJub: (publicKey) => ({ BabyJubJub: publicKey }),
  Bls12381G2: (publicKey) => ({ Bls12381G2: publicKey }),
  Secp256k1: (publicKey) => ({ Secp256k1: publicKey }),
  Sr25519: (publicKey) => ({ Sr25519: publicKey }),
  Bls12381G2Plus2022: (publicKey) => ({ Bls12381G2Plus2022: publicKey }),
}

/** Returns a public key as the runtime writes it. */
export function encodableKey({ kind, publicKey }: ChainKey): chain.PublicKey {
  return PUBLIC_KEYS[kind](publicKey)
}

export function encodableKeyEntry({ key, relationships }: KeyEntry): chain.KeyEntry {
  return { key: encodableKey(key), relationships }
}

export function encodableService(service: ServiceEntry): chain.ServiceEntry {
  return { id: text(service.id), serviceType: text(service.type), endpoints: service.endpoints.map(text) }
}

function encodableKeyInput({ key, relationships, possession }: KeyInput): chain.DidKeyInput {
  return { key: encodableKey(key), relationships, possession: possession ?? null }
}
