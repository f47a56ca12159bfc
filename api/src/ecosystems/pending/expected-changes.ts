import { type Did, describeCalls, type Plain } from '@accredit/chain'
import { type Static, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/schema'

/** One thing that the ledger says of a registry once what was asked for is done. */
export type Fact =
  | { of: 'registry'; convener: Did; name: string; governance: string }
  | { of: 'removed' }
  | { of: 'schema' | 'public'; schema: string; holds: boolean }
  | { of: 'issuer' | 'verifier'; schema: string; did: string; holds: boolean }
  /** All prices of an issuer. */
  | { of: 'prices'; schema: string; did: string; prices: Record<string, string> }
  /** The one in a currency; null: none. */
  | { of: 'price'; schema: string; did: string; currency: string; price: string | null }
  | { of: 'suspended'; did: string; holds: boolean }
  | { of: 'delegate'; did: string; delegate: string; holds: boolean }

const record = <T extends TSchema>(values: T) => Type.Record(Type.String(), values)
const Amount = Type.Union([Type.Integer(), Type.String()])
const Prices = record(Amount)
const IssuerOp = Type.Union([
  Type.Enum(['Ensure', 'Discard', 'Remove']),
  Type.Object({ Set: Prices }),
  Type.Object({ Add: Prices }),
  Type.Object({
    Modify: record(Type.Union([Type.Literal('Remove'), Type.Object({ Set: Amount }), Type.Object({ Add: Amount })])),
  }),
])
const Update = Type.Object({
  issuers: Type.Union([Type.Null(), Type.Object({ Modify: record(IssuerOp) })]),
  verifiers: Type.Union([
    Type.Null(),
    Type.Object({ Modify: record(Type.Enum(['Ensure', 'Add', 'Discard', 'Remove'])) }),
    Type.Object({ Set: Type.Array(Type.String(), { maxItems: 0 }) }),
  ]),
})
const Metadata = Type.Object({
  issuers: record(Prices),
  verifiers: Type.Union([Type.Null(), Type.Array(Type.String())]),
})
const SchemaOp = Type.Union([
  Type.Enum(['Discard', 'Remove']),
  Type.Object({ Ensure: Update }),
  Type.Object({ Modify: Update }),
  Type.Object({ Add: Metadata }),
])
const Dids = Type.Array(Type.String())

/** The facts of calls in their order: of two about the same the later one counts. */
class Facts {
  readonly #facts = new Map<string, Fact>()

  put(...facts: Fact[]): void {
    for (const fact of facts) this.#facts.set(keyOf(fact), fact)
  }

  drop(isGone: (fact: Fact) => boolean): void {
    for (const [key, fact] of this.#facts) if (isGone(fact)) this.#facts.delete(key)
  }

  all = (): Fact[] => [...this.#facts.values()]
}

function keyOf(fact: Fact): string {
  const { of, schema = '', did = '', currency = '', delegate = '' }: Fact & Partial<Record<Part, string>> = fact
  return [of === 'removed' ? 'registry' : of, schema, did, currency, delegate].join(' ')
}
type Part = 'schema' | 'did' | 'currency' | 'delegate'

const isGiven = (op: string): boolean => op === 'Ensure' || op === 'Add'
const asText = (prices: Static<typeof Prices>) =>
  Object.fromEntries(Object.entries(prices).map(([currency, amount]) => [currency, String(amount)]))

const isOf = (fact: Fact, schema: string): boolean => 'schema' in fact && fact.schema === schema
const isPriceOf = (fact: Fact, schema: string, did: string): boolean =>
  (fact.of === 'price' || fact.of === 'prices') && fact.schema === schema && fact.did === did

function putIssuer(facts: Facts, schema: string, did: string, op: Static<typeof IssuerOp>): void {
  if (typeof op === 'string') {
    if (!isGiven(op)) facts.drop((fact) => isPriceOf(fact, schema, did))
    facts.put({ of: 'issuer', schema, did, holds: isGiven(op) })
  } else if ('Modify' in op) {
    for (const [currency, change] of Object.entries(op.Modify)) {
      const price = change === 'Remove' ? null : String('Set' in change ? change.Set : change.Add)
      facts.put({ of: 'price', schema, did, currency, price })
    }
  } else {
    facts.drop((fact) => isPriceOf(fact, schema, did))
    facts.put({ of: 'issuer', schema, did, holds: true })
    facts.put({ of: 'prices', schema, did, prices: asText('Set' in op ? op.Set : op.Add) })
  }
}

function putUpdate(facts: Facts, schema: string, { issuers, verifiers }: Static<typeof Update>): void {
  for (const [did, op] of Object.entries(issuers?.Modify ?? {})) putIssuer(facts, schema, did, op)
  if (verifiers === null) return
  if ('Set' in verifiers) {
    facts.drop((fact) => fact.of === 'verifier' && fact.schema === schema)
    facts.put({ of: 'public', schema, holds: true })
    return
  }
  for (const [did, op] of Object.entries(verifiers.Modify)) {
    if (isGiven(op)) facts.put({ of: 'public', schema, holds: false })
    facts.put({ of: 'verifier', schema, did, holds: isGiven(op) })
  }
}

function putMetadata(facts: Facts, schema: string, { issuers, verifiers }: Static<typeof Metadata>): void {
  for (const [did, prices] of Object.entries(issuers)) putIssuer(facts, schema, did, { Add: prices })
  if (verifiers?.length === 0) facts.put({ of: 'public', schema, holds: true })
  for (const did of verifiers ?? []) facts.put({ of: 'verifier', schema, did, holds: true })
}

function putSchema(facts: Facts, schema: string, op: Static<typeof SchemaOp>): void {
  if (typeof op === 'string') {
    facts.drop((fact) => isOf(fact, schema))
    facts.put({ of: 'schema', schema, holds: false })
  } else if ('Modify' in op) {
    putUpdate(facts, schema, op.Modify)
  } else {
    facts.put({ of: 'schema', schema, holds: true })
    if ('Ensure' in op) putUpdate(facts, schema, op.Ensure)
    else putMetadata(facts, schema, op.Add)
  }
}

type Reader = (facts: Facts, parameters: { readonly [name: string]: Plain }, actor: Did) => boolean

/** Reads the parameters of one call; false where they are of a form that only the call itself tells to be done. */
function reads<T extends TSchema>(shape: T, put: (facts: Facts, parameters: Static<T>, actor: Did) => void): Reader {
  const compiled = Compile(shape)
  return (facts, parameters, actor) => {
    if (!compiled.Check(parameters)) return false
    put(facts, parameters, actor)
    return true
  }
}

const suspends = (role: 'issuers' | 'verifiers', holds: boolean): Reader =>
  reads(Type.Object({ [role]: Dids }), (facts, parameters) => {
    for (const did of parameters[role] ?? []) facts.put({ of: 'suspended', did, holds })
  })

const READERS: ReadonlyMap<string, Reader> = new Map([
  [
    'initOrUpdateTrustRegistry',
    reads(Type.Object({ name: Type.String(), govFramework: Type.String() }), (facts, { name, govFramework }, actor) =>
      facts.put({ of: 'registry', convener: actor, name, governance: govFramework }),
    ),
  ],
  [
    'setSchemasMetadata',
    reads(Type.Object({ update: Type.Object({ Modify: record(SchemaOp) }) }), (facts, { update }) => {
      for (const [schema, op] of Object.entries(update.Modify)) putSchema(facts, schema, op)
    }),
  ],
  ['suspendIssuers', suspends('issuers', true)],
  ['suspendVerifiers', suspends('verifiers', true)],
  ['unsuspendIssuers', suspends('issuers', false)],
  ['unsuspendVerifiers', suspends('verifiers', false)],
  [
    'updateDelegatedIssuers',
    reads(
      Type.Object({ delegated: Type.Object({ Modify: record(Type.Enum(['Add', 'Remove'])) }) }),
      (facts, { delegated }, did) => {
        for (const [delegate, op] of Object.entries(delegated.Modify))
          facts.put({ of: 'delegate', did, delegate, holds: isGiven(op) })
      },
    ),
  ],
  [
    'removeTrustRegistry',
    reads(Type.Object({}), (facts) => {
      facts.drop(() => true)
      facts.put({ of: 'removed' })
    }),
  ],
])

/**
 * What the ledger says of a registry when these calls of its convener were made one after the other, by whatever calls it
 * came about. Undefined where that cannot be told apart from how it came about.
 */
export function wantedFacts(actor: Did, calls: readonly Uint8Array[]): Fact[] | undefined {
  const facts = new Facts()
  const isKnown = describeCalls(calls).every(
    ({ pallet, call, parameters }) =>
      pallet === 'trustRegistry' && (READERS.get(call)?.(facts, parameters, actor) ?? false),
  )
  const all = facts.all()
  return isKnown && all.length > 0 ? all : undefined
}
