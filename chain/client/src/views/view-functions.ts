import type { Codec } from '@polkadot/types/types'
import type { Hex, Hex32 } from '../bytes.js'
import { chainDid, type Did } from '../did.js'
import { encodableDids, encodableSchemas, type SchemasUpdate } from '../schemas-update.js'
import { type ChainTypes, chainTypes } from '../types.js'
import {
  type AuthorizationAnswer,
  authorizationAnswer,
  type Page,
  type PreviewAnswer,
  previewAnswer,
  type RegistryInfoAnswer,
  registryIdsAnswer,
  registryInfosAnswer,
  type SchemaMetadataAnswer,
  schemaMetadataAnswer,
} from './view-functions-answers.js'
import { viewFunctionOf } from './view-functions-metadata.js'

/**
 * The filter of a question: fields combine by intersection, the values in a field (at most 64) by union. A filter
 * without fields, or with a field without values, finds nothing.
 */
export interface ViewFilter {
  readonly issuers?: readonly Did[] | undefined
  readonly verifiers?: readonly Did[] | undefined
  readonly issuersOrVerifiers?: readonly Did[] | undefined
  readonly schemaIds?: readonly Hex32[] | undefined
}

/**
 * A question to the ledger as a JSON-RPC request. The hash of a block may follow its parameters: without one the answer
 * is that of the head. `decode` reads the result, and throws a `ViewFunctionError` where the ledger has no answer.
 */
export interface ViewCall<Answer> {
  readonly method: 'state_call'
  readonly params: readonly [method: string, bytes: Hex]
  decode(result: Hex): Answer
}

/** The questions that the trust registries answer about themselves at any block, by the names of the runtime. */
export function viewFunctions(types: ChainTypes = chainTypes()) {
  const ask = <Answer>(name: string, answer: AnswerOf<Answer>, ...parameters: unknown[]): ViewCall<Answer> => {
    const { params, result } = viewFunctionOf(types, 'TrustRegistry', name)
    return {
      method: 'state_call',
      params: params(parameters),
      decode: (bytes) => answer(result(bytes), types),
    }
  }
  return {
    verifiersTrustRegistries: (verifier: Did, cursor?: Hex32) =>
      ask('verifiers_trust_registries', registryIdsAnswer, chainDid(verifier), cursor),
    issuersTrustRegistries: (issuer: Did, cursor?: Hex32) =>
      ask('issuers_trust_registries', registryIdsAnswer, chainDid(issuer), cursor),
    registriesIds: (filter: ViewFilter, cursor?: Hex32) =>
      ask('registries_ids', registryIdsAnswer, encodableFilter(filter), cursor),
    trustRegistryVerifierSchemas: (registryId: Hex32, verifier: Did, cursor?: Hex32) =>
      ask('trust_registry_verifier_schemas', registryIdsAnswer, registryId, chainDid(verifier), cursor),
    trustRegistryIssuerSchemas: (registryId: Hex32, issuer: Did, cursor?: Hex32) =>
      ask('trust_registry_issuer_schemas', registryIdsAnswer, registryId, chainDid(issuer), cursor),
    registrySchemaIds: (filter: ViewFilter, registryId: Hex32, cursor?: Hex32) =>
      ask('registry_schema_ids', registryIdsAnswer, encodableFilter(filter), registryId, cursor),
    registriesInfo: (filter: ViewFilter, cursor?: Hex32): ViewCall<Page<RegistryInfoAnswer>> =>
      ask('registries_info', registryInfosAnswer, encodableFilter(filter), cursor),
    registrySchemasMetadata: (
      filter: ViewFilter,
      registryId: Hex32,
      cursor?: Hex32,
    ): ViewCall<Page<SchemaMetadataAnswer>> =>
      ask('registry_schemas_metadata', schemaMetadataAnswer, encodableFilter(filter), registryId, cursor),
    authorized: (p: {
      registryId: Hex32
      schemaId: Hex32
      did: Did
      role: 'issuer' | 'verifier'
    }): ViewCall<AuthorizationAnswer> =>
      ask('authorized', authorizationAnswer, p.registryId, p.schemaId, chainDid(p.did), ROLES[p.role]),
    previewSchemasMetadata: (p: {
      actor: Did
      registryId: Hex32
      update: SchemasUpdate
      expectedVersion?: number
    }): ViewCall<PreviewAnswer> =>
      ask(
        'preview_schemas_metadata',
        previewAnswer,
        chainDid(p.actor),
        p.registryId,
        encodableSchemas(p.update),
        p.expectedVersion,
      ),
  }
}

type AnswerOf<Answer> = (value: Codec, types: ChainTypes) => Answer

const ROLES = { issuer: 'Issuer', verifier: 'Verifier' } as const

function encodableFilter({ issuers, verifiers, issuersOrVerifiers, schemaIds }: ViewFilter): unknown {
  const anyOf = (ids: readonly unknown[] | undefined) => (ids === undefined ? null : { AnyOf: ids })
  const dids = (field: readonly Did[] | undefined) => anyOf(field && encodableDids(field))
  return {
    issuers: dids(issuers),
    verifiers: dids(verifiers),
    issuersOrVerifiers: dids(issuersOrVerifiers),
    schemaIds: anyOf(schemaIds && [...new Set(schemaIds)]),
  }
}
