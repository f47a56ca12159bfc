import type { Hex, Hex32 } from './bytes.js'
import { chainDid, type Did } from './did.js'
import type { KeyEntry, KeyInput, ServiceEntry } from './key.js'
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

export type RegistryKind =
  | { readonly StatusList: { readonly length: number } }
  | { readonly Accumulator: { readonly publicKey: Hex; readonly accumulated: Hex } }

/** Builders of every call that a DID can make. They encode by the metadata of a runtime. */
export function callsOf(types: ChainTypes) {
  return { did: didCalls(types), trustRegistry: trustRegistryCalls(types), revocation: revocationCalls(types) }
}

export type Calls = ReturnType<typeof callsOf>

function didCalls(types: ChainTypes) {
  const call = (name: string, did: Hex32, ...parameters: unknown[]) => types.call('did', name, did, ...parameters)
  return {
    addKeys: (p: { did: Hex32; keys: readonly KeyInput[] }) => call('addKeys', p.did, p.keys.map(encodableKeyInput)),
    rotateKey: (p: { did: Hex32; old: number; new: KeyInput }) =>
      call('rotateKey', p.did, p.old, encodableKeyInput(p.new)),
    revokeKeys: (p: { did: Hex32; keys: readonly number[] }) => call('revokeKeys', p.did, [...new Set(p.keys)]),
    addControllers: (p: { did: Hex32; controllers: readonly Did[] }) =>
      call('addControllers', p.did, encodableDids(p.controllers)),
    removeControllers: (p: { did: Hex32; controllers: readonly Did[] }) =>
      call('removeControllers', p.did, encodableDids(p.controllers)),
    setService: (p: { did: Hex32; service: ServiceEntry }) => call('setService', p.did, encodableService(p.service)),
    removeService: (p: { did: Hex32; id: string }) => call('removeService', p.did, text(p.id)),
    deactivate: (p: { did: Hex32 }) => call('deactivate', p.did),
  }
}

function trustRegistryCalls(types: ChainTypes) {
  const call = (name: string, registryId: Hex32, ...parameters: unknown[]) =>
    types.call('trustRegistry', name, registryId, ...parameters)
  const dids = (name: string) => (p: { registryId: Hex32; dids: readonly Did[] }) =>
    call(name, p.registryId, encodableDids(p.dids))
  return {
    initOrUpdate: (p: { registryId: Hex32; name: string; govFramework: string }) =>
      call('initOrUpdateTrustRegistry', p.registryId, text(p.name), text(p.govFramework)),
    setSchemasMetadata: (p: { registryId: Hex32; update: SchemasUpdate; expectedVersion?: number }) =>
      call('setSchemasMetadata', p.registryId, encodableSchemas(p.update), p.expectedVersion ?? null),
    suspendIssuers: dids('suspendIssuers'),
    unsuspendIssuers: dids('unsuspendIssuers'),
    updateDelegatedIssuers: (p: { registryId: Hex32; delegated: DelegatedUpdate }) =>
      call('updateDelegatedIssuers', p.registryId, encodableDelegated(p.delegated)),
    suspendVerifiers: dids('suspendVerifiers'),
    unsuspendVerifiers: dids('unsuspendVerifiers'),
    remove: (p: { registryId: Hex32 }) => call('removeTrustRegistry', p.registryId),
    transfer: (p: { registryId: Hex32; newConvener: Did }) =>
      call('transferTrustRegistry', p.registryId, chainDid(p.newConvener)),
    accept: (p: { registryId: Hex32 }) => call('acceptTrustRegistry', p.registryId),
  }
}

function revocationCalls(types: ChainTypes) {
  const call = (name: string, registryId: Hex32, ...parameters: unknown[]) =>
    types.call('revocation', name, registryId, ...parameters)
  return {
    create: (p: { registryId: Hex32; policy: readonly Did[]; addOnly: boolean; kind: RegistryKind }) =>
      call('create', p.registryId, encodableDids(p.policy), p.addOnly, p.kind),
    setStatus: (p: { registryId: Hex32; revoke?: readonly number[]; unrevoke?: readonly number[] }) =>
      call('setStatus', p.registryId, [...new Set(p.revoke)], [...new Set(p.unrevoke)]),
    remove: (p: { registryId: Hex32 }) => call('remove', p.registryId),
  }
}

/** Builders for the runtime that this version of the software brings. */
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

export function encodableKeyEntry({ key, relationships }: KeyEntry): unknown {
  return { key: { [key.kind]: key.publicKey }, relationships }
}

export function encodableService(service: ServiceEntry): unknown {
  return { id: text(service.id), serviceType: text(service.type), endpoints: service.endpoints.map(text) }
}

function encodableKeyInput({ key, relationships, possession }: KeyInput): unknown {
  return { key: { [key.kind]: key.publicKey }, relationships, possession: possession ?? null }
}
