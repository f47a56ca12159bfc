import type { Algorithm, CredentialFormat } from '../../formats/credential-format.js'
import { FORMATS } from '../../formats/formats.js'
import { asArray, type JsonObject } from '../../formats/json.js'
import { CREDENTIALS_V2 } from '../../formats/json-ld/contexts/known-contexts.js'

/**
 * Of what a signature stands over: `statements` of a document, which several documents may make alike; the `members` of
 * a document, in any order, its contexts too; its `elements`, which are the members where a time is its instant, in
 * whatever zone it is written; a `token`, byte by byte.
 */
export type Signed = 'statements' | 'members' | 'elements' | 'token'

/** One algorithm of one format, with what the matrix cannot read from the tables of the service. */
export interface Line {
  readonly format: string
  readonly algorithm: string
  readonly signed: Signed
  /**
   * The data models that it is issued in, each with the types of registries that a request may name for its status; a
   * request with another type is refused.
   */
  readonly models: Readonly<Partial<Record<Model, readonly string[]>>>
  /** Whether a holder may leave out what was disclosed, and the rest verifies. */
  readonly holderMayHide?: true
}

export type Model = keyof typeof MODELS

/** The members of a request that choose a data model. */
export const MODELS = {
  '1.1': {},
  '2.0': { '@context': [CREDENTIALS_V2] },
  'SD-JWT VC': {},
} satisfies Record<string, JsonObject>

/** Of whatever type a list is, credentials of each form have their entries in it. */
const LISTS = [
  'StatusList2021Entry',
  'BitstringStatusListEntry',
  'TokenStatusList',
  'CredentialStatusList2017',
] as const
const BOTH = { '1.1': LISTS, '2.0': LISTS } as const
const OLDER = { '1.1': LISTS } as const
const ACCUMULATORS = { '1.1': ['DockVBAccumulator2022'] } as const
const TOKENS = { 'SD-JWT VC': LISTS } as const

/** A new format, algorithm or status method has its place here; the matrix says where one is missing. */
export const LINES: readonly Line[] = [
  { format: 'jsonld', algorithm: 'ed25519', signed: 'statements', models: BOTH },
  { format: 'jsonld', algorithm: 'ed25519-2018', signed: 'statements', models: OLDER },
  { format: 'jsonld', algorithm: 'eddsa-rdfc-2022', signed: 'statements', models: BOTH },
  { format: 'jsonld', algorithm: 'eddsa-jcs-2022', signed: 'members', models: BOTH },
  { format: 'jsonld', algorithm: 'bjj-2021', signed: 'statements', models: BOTH },
  { format: 'jsonld', algorithm: 'svcbbs', signed: 'elements', models: ACCUMULATORS },
  { format: 'jsonld', algorithm: 'svcbbs+', signed: 'elements', models: ACCUMULATORS },
  { format: 'jsonld', algorithm: 'bbdt16', signed: 'elements', models: ACCUMULATORS },
  { format: 'jwt', algorithm: 'ed25519', signed: 'token', models: BOTH },
  { format: 'sdjwt', algorithm: 'ed25519', signed: 'token', models: TOKENS, holderMayHide: true },
  { format: 'vc+sd-jwt', algorithm: 'ed25519', signed: 'token', models: TOKENS, holderMayHide: true },
]

export const nameOf = ({ format, algorithm }: Line): string => `${format} ${algorithm}`

export const modelsOf = ({ models }: Line): Model[] =>
  Object.keys(MODELS).filter((model): model is Model => Object.hasOwn(models, model))

/** The format and the algorithm in the tables of the service. */
export function inTables(line: Line): { format: CredentialFormat; algorithm: Algorithm } {
  const [found] = FORMATS.filter(({ name }) => name === line.format).flatMap((format) =>
    format.algorithms.filter(({ name }) => name === line.algorithm).map((algorithm) => ({ format, algorithm })),
  )
  if (found === undefined) throw new Error(`the service has no format ${nameOf(line)}`)
  return found
}

/** A signature over field elements takes its thread tens of milliseconds, and so does its check. */
export const isCostly = (line: Line): boolean => inTables(line).algorithm.primitive === 'signMessages'

/** The type of the registry in which `revocable: true` gives its place. */
export function automaticType(line: Line, model: Model): string {
  const { format, algorithm } = inTables(line)
  const { '@context': contexts }: JsonObject = MODELS[model]
  return format.registryTypeFor(algorithm, asArray(contexts))
}
