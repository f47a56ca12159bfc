/**
 * Names of hosted schemas: `<Name>-V<n>-<ms>`, where the name is the schema's own in CamelCase ASCII, n counts the
 * versions that a team made of that name, and ms is the time in milliseconds since 1970.
 */
const longest = 64

/** 'University Degree' becomes 'UniversityDegree'. A name without any Latin letter or digit becomes 'Schema'. */
export function camelName(name: string): string {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word.length > 0)
  const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  return joined.slice(0, longest) || 'Schema'
}

export type SchemaFile = { name: string; version: number; milliseconds: number }

export const fileOf = ({ name, version, milliseconds }: SchemaFile): string => `${name}-V${version}-${milliseconds}`

/** The addresses of a schema and its JSON-LD context below the public base URL of hosted schemas. */
export const schemaUri = (base: string, file: string): string => `${base}/schema-documents/${file}.json`
export const contextUri = (base: string, file: string): string => `${base}/contexts/${file}.jsonld`

/** A file's stem as it may stand in a path; anything else is an unknown document. */
export const isFileName = (text: string): boolean => /^[A-Za-z0-9]{1,64}-V\d{1,9}-\d{1,16}$/.test(text)
