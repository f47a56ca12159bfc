import type { PortableRegistry } from '@polkadot/types'
import type { SiVariant } from '@polkadot/types/interfaces/scaleInfo'
import { stringCamelCase } from '@polkadot/util'
import type { ChainTypes } from '../src/types.js'
import { comment, type Style, TypeText } from './type-text.js'

const PALLETS = ['Did', 'TrustRegistry', 'Revocation']
const HEAD = '// Written by `npm run build-types` from the metadata of the runtime. Do not edit.\n'
const SMALL = { Bool: 'boolean', U8: 'number', U16: 'number', U32: 'number' }

const INPUT: Style = {
  known: { H256: 'Hex32', DidId: 'Hex32', RuntimeCall: 'Uint8Array' },
  primitives: { ...SMALL, U64: 'number | bigint', U128: 'bigint' },
  bytes: 'Hex',
  fixed: () => 'Hex',
  map: (key, value) => `ReadonlyMap<${key}, ${value}>`,
}

/** As `plain` writes what was decoded. */
const OUTPUT: Style = {
  known: { Did: 'Did', H256: 'Hex32', DidId: 'Hex32', AccountId32: 'string', RuntimeCall: 'CallDescription' },
  primitives: { ...SMALL, U64: 'number | string', U128: 'number | string' },
  bytes: 'string',
  fixed: (length) => (length === 32 ? 'Hex32' : 'Hex'),
  map: (_key, value) => `{ readonly [key: string]: ${value} }`,
}

interface Pallet {
  readonly name: string
  readonly calls: readonly SiVariant[]
  readonly events: readonly SiVariant[]
  readonly errors: readonly SiVariant[]
}

/** The text of each generated file, by its name. */
export function generatedFiles({ registry }: ChainTypes): ReadonlyMap<string, string> {
  const pallets = ourPallets(registry.lookup, registry.metadata.pallets)
  return new Map([
    ['calls.ts', callsText(registry.lookup, pallets)],
    ['described-calls.ts', describedCallsText(registry.lookup, pallets)],
    ['events.ts', eventsText(registry.lookup, pallets)],
    ['errors.ts', errorsText(pallets)],
  ])
}

function ourPallets(lookup: PortableRegistry, all: ChainTypes['registry']['metadata']['pallets']): Pallet[] {
  const variantsOf = (part: (typeof all)[number]['calls' | 'events' | 'errors']) =>
    part.isNone ? [] : [...lookup.getSiType(part.unwrap().type).def.asVariant.variants]
  return [...all]
    .filter(({ name }) => PALLETS.includes(name.toString()))
    .map(({ name, calls, events, errors }) => ({
      name: name.toString(),
      calls: variantsOf(calls),
      events: variantsOf(events),
      errors: variantsOf(errors),
    }))
}

function callsText(lookup: PortableRegistry, pallets: readonly Pallet[]): string {
  const text = new TypeText(lookup, INPUT)
  const calls = pallets.flatMap(({ name: pallet, calls }) =>
    calls.map(({ name, fields, docs }) => {
      const parameters = [...fields].map((field) => {
        const label = stringCamelCase(field.name.unwrapOr('value').toString())
        return `${label}: ${text.of(field.type)}`
      })
      const key = `${stringCamelCase(pallet)}.${stringCamelCase(name.toString())}`
      return `${comment(docs, '  ')}  readonly '${key}': readonly [${parameters.join(', ')}]`
    }),
  )
  return [
    `${HEAD}import type { Hex, Hex32 } from '../bytes.js'\n`,
    ...text.declarations(),
    `/** The parameters of each call, in their order. */\nexport type CallParameters = {\n${calls.join('\n')}\n}\n`,
  ].join('\n')
}

function describedCallsText(lookup: PortableRegistry, pallets: readonly Pallet[]): string {
  const text = new TypeText(lookup, OUTPUT)
  const calls = pallets.flatMap(({ name: pallet, calls }) =>
    calls.map(({ name, fields }) => {
      const members = [...fields].map((field) => {
        const label = stringCamelCase(field.name.unwrapOr('value').toString())
        return `    readonly ${label}: ${text.of(field.type)}`
      })
      const key = `${stringCamelCase(pallet)}.${stringCamelCase(name.toString())}`
      return `  readonly '${key}': {\n${members.join('\n')}\n  }`
    }),
  )
  return [
    `${HEAD}import type { Hex, Hex32 } from '../bytes.js'\nimport type { Did } from '../did.js'\nimport type { CallDescription } from '../plain.js'\n`,
    ...text.declarations(),
    `/** The parameters of each call as \`describeCalls\` tells them. */\nexport type DescribedCalls = {\n${calls.join('\n')}\n}\n`,
  ].join('\n')
}

function eventsText(lookup: PortableRegistry, pallets: readonly Pallet[]): string {
  const text = new TypeText(lookup, OUTPUT)
  const events = pallets.flatMap(({ name: pallet, events }) =>
    events.map(({ name, fields, docs }) => {
      const members = text.members(fields, '    ')
      return `${comment(docs, '  ')}  readonly '${pallet}.${name}': {\n${members.join('\n')}\n  }`
    }),
  )
  return [
    `${HEAD}import type { Hex, Hex32 } from '../bytes.js'\nimport type { Did } from '../did.js'\n`,
    ...text.declarations(),
    `/** The data of each event. */\nexport type EventData = {\n${events.join('\n')}\n}\n`,
  ].join('\n')
}

function errorsText(pallets: readonly Pallet[]): string {
  const names = pallets.flatMap(({ name: pallet, errors }) =>
    errors.map(({ name, docs }) => `${comment(docs, '  ')}  | '${pallet}.${name}'`),
  )
  return `${HEAD}\n/** Why a call is refused. */\nexport type ErrorName =\n${names.join('\n')}\n`
}
