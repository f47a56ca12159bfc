import { isUri, ParamError, type ParamPlace, type ParamProblem, parseHex32, schemaId } from '@accredit/chain'
import { TOLD } from '../platform/http/problems.js'

/** An update of schemas by their hashes, as the ledger knows them. */
interface SchemasByHash {
  update: unknown
  /** The keys as the caller wrote them, by hash. */
  writtenAs: ReadonlyMap<string, string>
  problems: readonly ParamProblem[]
}

/** The schemas of an update, which may stand there by their URIs, by their hashes. */
export function schemasByHash(update: unknown, place: ParamPlace): SchemasByHash {
  const writtenAs = new Map<string, string>()
  const problems: ParamProblem[] = []
  const hashOf = (written: string, within: ParamPlace): string => {
    const hash = parseHex32(written) ?? (isUri(written) ? schemaId(written) : undefined)
    // Nobody reads more of them, and each schema takes a hash.
    if (problems.length > TOLD) throw new ParamError(problems)
    const wrong = (problem: string) => problems.push({ kind: 'wrong', place: [...within, written], problem })
    if (hash === undefined) wrong('is neither the URI of a schema nor its hash of 64 hexadecimal digits')
    else if (writtenAs.has(hash)) wrong('is given twice')
    else writtenAs.set(hash, written)
    return hash ?? written
  }
  const changed = mapMembers(update, (schemas, kind) =>
    kind === 'Set' || kind === 'Modify' ? mapNames(schemas, (written) => hashOf(written, [...place, kind])) : schemas,
  )
  return { update: changed, writtenAs, problems }
}

/** The names of schemas as an update takes them, for the reference. */
const SchemaName = {
  anyOf: [
    { type: 'string', format: 'uri', description: 'The URI of a schema' },
    { type: 'string', pattern: '^(0[xX])?[0-9a-fA-F]{64}$', description: 'The hash of a schema’s URI' },
  ],
}

/** Returns the schema of an update that takes schemas by their URIs too. */
export function withSchemaNames(schemaOfUpdate: unknown): unknown {
  const ofForm = (form: unknown): unknown =>
    mapMembers(form, (properties, keyword) =>
      keyword === 'properties'
        ? mapMembers(properties, (schemas) => ({ ...Object(schemas), propertyNames: SchemaName }))
        : properties,
    )
  return mapMembers(schemaOfUpdate, (forms, keyword) =>
    keyword === 'anyOf' && Array.isArray(forms) ? forms.map(ofForm) : forms,
  )
}

/** A value that is no object stays as it is: its reader refuses it. */
const isMap = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value)

const mapMembers = (value: unknown, change: (member: unknown, name: string) => unknown): unknown =>
  isMap(value) ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, change(one, name)])) : value

const mapNames = (value: unknown, change: (name: string) => string): unknown =>
  isMap(value) ? Object.fromEntries(Object.entries(value).map(([name, one]) => [change(name), one])) : value
