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
  /** Those in which it may have a status; left out: all of them. */
  readonly statusIn?: readonly Model[]
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

const LISTS = ['StatusList2021Entry', 'CredentialStatusList2017'] as const

const JSON_LD = { format: 'jsonld', models: ['1.1', '2.0'], statusIn: ['1.1'], statuses: LISTS } as const

/** A new format, algorithm or status method has its place here; the matrix says where one is missing. */
export const LINES: readonly Line[] = [
  { ...JSON_LD, algorithm: 'ed25519', signed: 'statements' },
  { ...JSON_LD, algorithm: 'ed25519-2018', signed: 'statements', models: ['1.1'] },
  { ...JSON_LD, algorithm: 'eddsa-rdfc-2022', signed: 'statements' },
  { ...JSON_LD, algorithm: 'eddsa-jcs-2022', signed: 'document' },
]

export const nameOf = ({ format, algorithm }: Line): string => `${format} ${algorithm}`
