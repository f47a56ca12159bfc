import type { JsonObject } from '../../formats/json.js'
import { CREDENTIALS_V2 } from '../../formats/json-ld/contexts/known-contexts.js'

/**
 * Of what a signature stands over: `statements` of a document, which several documents may make alike; a `document` as
 * it stands, its contexts too; a `token`, byte by byte.
 */
export type Signed = 'statements' | 'document' | 'token'

/** One algorithm of one format, with what the matrix cannot read from the tables of the service. */
export interface Line {
  readonly format: string
  readonly algorithm: string
  readonly signed: Signed
  /** The data models that it is issued in. */
  readonly models: readonly Model[]
  /** The types of registries that it takes its status from; a request with another type is refused. */
  readonly statuses: readonly string[]
  /** Whether a credential may carry its schema, as a data: URL. */
  readonly embedsSchemas?: true
  /** Whether a holder may leave out what was disclosed, and the rest verifies. */
  readonly holderMayHide?: true
}

export type Model = keyof typeof MODELS

/** The members of a request that choose a data model. */
export const MODELS = {
  '1.1': {},
  '2.0': { '@context': [CREDENTIALS_V2] },
} satisfies Record<string, JsonObject>

/** Of whatever type a list is, credentials of each form have their entries in it. */
const LISTS = [
  'StatusList2021Entry',
  'BitstringStatusListEntry',
  'TokenStatusList',
  'CredentialStatusList2017',
] as const

/** A new format, algorithm or status method has its place here; the matrix says where one is missing. */
export const LINES: readonly Line[] = [
  { format: 'jsonld', algorithm: 'ed25519', signed: 'statements', models: ['1.1'], statuses: LISTS },
  { format: 'jsonld', algorithm: 'ed25519-2018', signed: 'statements', models: ['1.1'], statuses: LISTS },
]

export const nameOf = ({ format, algorithm }: Line): string => `${format} ${algorithm}`
