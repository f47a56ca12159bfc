import type { PortableRegistry } from '@polkadot/types'
import type { SiField, SiType, SiVariant } from '@polkadot/types/interfaces/scaleInfo'
import { stringCamelCase } from '@polkadot/util'

/** The direction of a value: TypeScript writes the arguments of calls differently from the data of events. */
export interface Style {
  /** The types that are written as they stand here, by the last part of their path. */
  readonly known: Readonly<Record<string, string>>
  readonly primitives: Readonly<Record<string, string>>
  /** Bytes of any length. */
  readonly bytes: string
  fixed(length: number): string
  map(key: string, value: string): string
}

type TypeId = SiField['type']

/** The bounded types, which are written as their content: the ledger checks bounds. */
const BOUNDED = new Set(['BoundedVec', 'BoundedBTreeMap', 'BoundedBTreeSet'])

/** Writes types of the metadata as TypeScript, and keeps a declaration of each that has a name. */
export class TypeText {
  readonly #declarations = new Map<string, string>()
  readonly #lookup: PortableRegistry
  readonly #style: Style

  constructor(lookup: PortableRegistry, style: Style) {
    this.#lookup = lookup
    this.#style = style
  }

  /** Returns the declarations of the named types that were met, in the order of their names. */
  declarations(): string[] {
    return [...this.#declarations].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text)
  }

  of(id: TypeId): string {
    const type = this.#lookup.getSiType(id)
    const name = type.path.at(-1)?.toString()
    if (name === undefined) return this.#unnamed(type)
    const known = this.#style.known[name]
    if (known !== undefined) return known
    const parameter = (index: number) => this.of(type.params[index]?.type.unwrap() ?? unwritable(type))
    if (name === 'Option') return `${parameter(0)} | null`
    if (name === 'BTreeSet') return listOf(parameter(0))
    if (name === 'BTreeMap') return this.#style.map(parameter(0), parameter(1))
    if (BOUNDED.has(name)) return this.of(type.def.asComposite.fields[0]?.type ?? unwritable(type))
    return this.#named(name, type)
  }

  /** Writes the members of an object, one a line. */
  members(fields: Iterable<SiField>, indent: string): string[] {
    return [...fields].map(({ name, type, docs }) => {
      const member = `readonly ${stringCamelCase(name.unwrapOr('value').toString())}: ${this.of(type)}`
      return comment(docs, indent) + indent + member
    })
  }

  #named(name: string, type: SiType): string {
    if (this.#declarations.has(name)) return name
    this.#declarations.set(name, '') // comes before its content, which may name it
    const { def, docs } = type
    const head = `${comment(docs, '')}export `
    if (def.isVariant) {
      const variants = [...def.asVariant.variants].map((variant) => this.#variant(variant))
      this.#declarations.set(name, `${head}type ${name} =\n${variants.join('\n')}\n`)
      return name
    }
    const fields = [...def.asComposite.fields]
    const [only] = fields
    const text =
      fields.length === 1 && only?.name.isNone
        ? `${head}type ${name} = ${this.of(only.type)}\n`
        : `${head}type ${name} = {\n${this.members(fields, '  ').join('\n')}\n}\n`
    this.#declarations.set(name, text)
    return name
  }

  #variant({ name, fields, docs }: SiVariant): string {
    return `${comment(docs, '  ')}  | ${this.#content(name.toString(), [...fields])}`
  }

  #content(name: string, fields: SiField[]): string {
    const [only] = fields
    if (only === undefined) return `'${name}'`
    if (fields.length === 1 && only.name.isNone) return `{ readonly ${name}: ${this.of(only.type)} }`
    return `{ readonly ${name}: { ${this.members(fields, '').join('; ')} } }`
  }

  #unnamed(type: SiType): string {
    const { def } = type
    if (def.isPrimitive) return this.#style.primitives[def.asPrimitive.type] ?? unwritable(type)
    if (def.isCompact) return this.of(def.asCompact.type)
    if (def.isSequence)
      return this.#isByte(def.asSequence.type) ? this.#style.bytes : listOf(this.of(def.asSequence.type))
    if (def.isArray && this.#isByte(def.asArray.type)) return this.#style.fixed(def.asArray.len.toNumber())
    return unwritable(type)
  }

  #isByte(id: TypeId): boolean {
    const { def } = this.#lookup.getSiType(id)
    return def.isPrimitive && def.asPrimitive.isU8
  }
}

/** Writes the documentation of the metadata as a comment; nothing where there is none. */
export function comment(docs: Iterable<{ toString(): string }>, indent: string): string {
  const lines = [...docs].map((line) => line.toString().trim())
  const text = lines.join('\n').trim()
  if (text === '') return ''
  if (!text.includes('\n')) return `${indent}/** ${text} */\n`
  const starred = text.split('\n').map((line) => `${indent} * ${line}`.trimEnd())
  return `${indent}/**\n${starred.join('\n')}\n${indent} */\n`
}

function listOf(item: string): string {
  return item.includes('|') ? `readonly (${item})[]` : `readonly ${item}[]`
}

function unwritable({ def, path }: SiType): never {
  throw new Error(`the type ${path.join('::') || def.type} has no form in TypeScript here`)
}
