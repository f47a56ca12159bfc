import { readFileSync } from 'node:fs'
import { type Static, Type } from 'typebox'
import { Check, Errors } from 'typebox/schema'

const limit = (minimum: number) =>
  Type.Optional(Type.Union([Type.Integer({ minimum, maximum: Number.MAX_SAFE_INTEGER }), Type.Null()]))

/** The limits of a plan; one that is absent, or null, is none. */
const Plan = Type.Object(
  {
    /** The transactions of a calendar month (UTC), those of sub-accounts with them. */
    transactions: limit(0),
    /** The people of a team, invited ones with them. */
    members: limit(1),
    subAccounts: limit(0),
    /** The requests of a key in RATE_LIMIT_SECONDS; absent: RATE_LIMIT_REQUESTS. */
    requests: limit(1),
    /** False: owners cannot choose it. */
    isOffered: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)

const PlansFile = Type.Object(
  {
    default: Type.String(),
    plans: Type.Record(Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9 _-]{0,63}$' }), Plan),
  },
  { additionalProperties: false },
)

export interface Plan {
  name: string
  transactions: number | null
  members: number | null
  subAccounts: number | null
  requests: number | null
  isOffered: boolean
}

export interface Plans {
  all: readonly Plan[]
  default: Plan
  /** The plan with a name; the default one for null, and for a name that is configured no more. */
  of(name: string | null | undefined): Plan
}

const DEFAULTS: Static<typeof PlansFile> = {
  default: 'unlimited',
  plans: {
    trial: { transactions: 100, members: 3, subAccounts: 5 },
    standard: { transactions: 10_000, members: 20, subAccounts: 50 },
    unlimited: {},
  },
}

/** Reads the plans of a JSON file, or the built-in ones. @throws `Error` with a sentence that says what is wrong */
export function readPlans(file: string | undefined): Plans {
  const given: unknown = file === undefined ? DEFAULTS : JSON.parse(readFileSync(file, 'utf8'))
  if (!Check(PlansFile, given)) {
    const [, [first]] = Errors(PlansFile, given)
    throw new Error(`${first?.instancePath || 'the file'} ${first?.message ?? 'is wrong'}`)
  }
  const all = Object.entries(given.plans).map(
    ([name, { transactions = null, members = null, subAccounts = null, requests = null, isOffered = true }]) => ({
      name,
      transactions,
      members,
      subAccounts,
      requests,
      isOffered,
    }),
  )
  const first = all.find(({ name }) => name === given.default)
  if (first === undefined) throw new Error(`/default is "${given.default}", which is none of the plans`)
  return { all, default: first, of: (name) => all.find((plan) => plan.name === name) ?? first }
}
