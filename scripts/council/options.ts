import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { messageOf, Refusal } from '../start/refusal.js'

export const usage = `npm run council -- COMMAND --url URL [options]
  What the council of a network decides, one member at a time: each where its own key is, through a node that it trusts.
  status                        members, validators, treasury and runtime, and what is voted on
  propose add-validator SS58    makes a motion and votes for it: the list of validators with an account more (a council of
                                one member decides with that, and says that its node has its keys: --keystore-has),
  propose remove-validator SS58 without one,
  propose fund SS58             a payment from the treasury, to which all fees go (--amount),
  propose upgrade FILE          the hash of a runtime, which anybody may then bring,
  propose add-member SS58       a member of the council more,
  propose remove-member SS58    or one less
  vote MOTION                   votes for a motion, or --against it; the vote that decides closes it too. With --file FILE
                                only where the motion is about that runtime
  close MOTION                  closes a motion that is decided, or whose week is over
  bring FILE                    brings the runtime for whose hash the council voted; any account with a little money may
  session-keys                  names the session keys of a validator's node, from the validator's account: the node of
                                --url makes them (--rpc-methods unsafe), or they are brought: --keys HEX --proof HEX
  give-seat SS58                gives the member's seat to another account, which is how a member changes its key
  account                       makes an account's key in the file of --key, unless one is there, and tells its address
  --url URL      JSON-RPC of a node (ws://…); default what COUNCIL_URL names
  --key FILE     the seed of the account that signs: 0x and 64 digits, in a file that nobody else may read
  --amount N     propose fund: what the account gets; default 10^18, which pays for some 500,000,000 small actions
  --keystore-has FILE  propose add-validator: the name of a file that its operator found in the node's keystore; once for
                 each that the command tells
  --json         status: the same as JSON
All commands but account wait until what they did is final.`

/** Pays for some 500,000,000 small actions. */
const USUAL_AMOUNT = 10n ** 18n

export const PROPOSALS = [
  'add-validator',
  'remove-validator',
  'fund',
  'upgrade',
  'add-member',
  'remove-member',
] as const
export type Proposal = (typeof PROPOSALS)[number]

interface OnLedger {
  readonly url: string
}
interface Signed extends OnLedger {
  readonly key: string
}

export type CouncilCommand =
  | { readonly name: 'account'; readonly key: string }
  | (OnLedger & { readonly name: 'status'; readonly json: boolean })
  | (Signed & {
      readonly name: 'propose'
      readonly proposal: Proposal
      readonly subject: string
      readonly amount: bigint
      readonly keystoreHas: readonly string[]
    })
  | (Signed & {
      readonly name: 'vote'
      readonly motion: number
      readonly isFor: boolean
      readonly file: string | undefined
    })
  | (Signed & { readonly name: 'close'; readonly motion: number })
  | (Signed & { readonly name: 'bring'; readonly file: string })
  | (Signed & { readonly name: 'give-seat'; readonly account: string })
  | (Signed & { readonly name: 'session-keys'; readonly made: { keys: string; proof: string } | undefined })

/** The options of each command, beside those that it takes after its name. */
const TAKES = {
  account: ['key'],
  status: ['url', 'json'],
  propose: ['url', 'key', 'amount', 'keystore-has'],
  vote: ['url', 'key', 'against', 'file'],
  close: ['url', 'key'],
  bring: ['url', 'key'],
  'give-seat': ['url', 'key'],
  'session-keys': ['url', 'key', 'keys', 'proof'],
} as const

/** The words after each command. */
const WORDS: Record<CouncilCommand['name'], readonly string[]> = {
  account: [],
  status: [],
  propose: [`one of ${PROPOSALS.join(', ')}`, 'an account or a file'],
  vote: ['the number of a motion'],
  close: ['the number of a motion'],
  bring: ['the file of a runtime'],
  'give-seat': ['an account'],
  'session-keys': [],
}

const OPTIONS = {
  url: { type: 'string' },
  key: { type: 'string' },
  amount: { type: 'string' },
  'keystore-has': { type: 'string', multiple: true },
  against: { type: 'boolean' },
  file: { type: 'string' },
  keys: { type: 'string' },
  proof: { type: 'string' },
  json: { type: 'boolean' },
} as const

export function parseCouncilOptions(argv: string[], env: NodeJS.ProcessEnv): CouncilCommand {
  const { values, positionals } = parsed(argv)
  const [name, ...words] = positionals
  if (!isCommand(name))
    throw new Refusal(`council takes one of ${Object.keys(TAKES).join(', ')}, not '${name ?? ''}'.\n${usage}`)
  const takes: readonly string[] = TAKES[name]
  for (const option of Object.keys(values))
    if (!takes.includes(option)) throw new Refusal(`--${option} does not belong to ${name}.\n${usage}`)
  const wanted = WORDS[name]
  if (words.length !== wanted.length)
    throw new Refusal(`council ${name} takes ${wanted.join(' and ') || 'nothing'} after it, not '${words.join(' ')}'.`)
  const [first = '', second = ''] = words
  switch (name) {
    case 'account':
      return { name, key: keyOf(values.key) }
    case 'status':
      return { name, url: urlOf(values.url, env), json: values.json === true }
    case 'propose':
      return {
        name,
        ...signed(),
        ...proposalOf(first, second),
        amount: amountOf(first, values.amount),
        keystoreHas: keystoreFilesOf(first, values['keystore-has']),
      }
    case 'vote':
      return { name, ...signed(), motion: motionOf(first), isFor: values.against !== true, file: fileOf(values.file) }
    case 'close':
      return { name, ...signed(), motion: motionOf(first) }
    case 'bring':
      return { name, ...signed(), file: resolve(first) }
    case 'give-seat':
      return { name, ...signed(), account: first }
    case 'session-keys':
      return { name, ...signed(), made: madeOf(values) }
  }

  function signed(): Signed {
    return { url: urlOf(values.url, env), key: keyOf(values.key) }
  }
}

function parsed(argv: string[]) {
  try {
    return parseArgs({ args: argv, allowPositionals: true, options: OPTIONS })
  } catch (error) {
    throw new Refusal(`${messageOf(error)}\n${usage}`)
  }
}

const isCommand = (name: string | undefined): name is CouncilCommand['name'] => name !== undefined && name in TAKES

function urlOf(given: string | undefined, env: NodeJS.ProcessEnv): string {
  const url = given ?? env.COUNCIL_URL
  if (!url) throw new Refusal('--url is missing: the address of a node of the network (ws://…).')
  // A path may be the token of an embedded ledger.
  if (!/^wss?:\/\//.test(url) || !URL.canParse(url))
    throw new Refusal('--url is an address that begins with ws:// or wss://.')
  return url
}

function keyOf(file: string | undefined): string {
  if (!file) throw new Refusal('--key is missing: the file of the seed of the account that signs.')
  return resolve(file)
}

const fileOf = (file: string | undefined) => (file === undefined ? undefined : resolve(file))

function motionOf(text: string): number {
  if (!/^(0|[1-9]\d{0,9})$/.test(text)) throw new Refusal(`A motion has a number, which status tells, not '${text}'.`)
  return Number(text)
}

function proposalOf(kind: string, subject: string): { proposal: Proposal; subject: string } {
  const proposal = PROPOSALS.find((one) => one === kind)
  if (proposal === undefined) throw new Refusal(`council propose takes one of ${PROPOSALS.join(', ')}, not '${kind}'.`)
  return { proposal, subject: proposal === 'upgrade' ? resolve(subject) : subject }
}

function amountOf(kind: string, given: string | undefined): bigint {
  if (given !== undefined && kind !== 'fund')
    throw new Refusal(`--amount belongs to propose fund, not to propose ${kind}.`)
  return parseAmount(given)
}

function keystoreFilesOf(kind: string, given: readonly string[] = []): readonly string[] {
  if (given.length > 0 && kind !== 'add-validator')
    throw new Refusal(`--keystore-has belongs to propose add-validator, not to propose ${kind}.`)
  return given
}

/** Reads a whole number of the ledger's smallest unit. */
export function parseAmount(given: string | undefined): bigint {
  if (given === undefined) return USUAL_AMOUNT
  if (!/^[1-9]\d{0,37}$/.test(given)) throw new Refusal(`--amount is a whole number above 0, not '${given}'.`)
  return BigInt(given)
}

function madeOf({ keys, proof }: { keys?: string; proof?: string }): { keys: string; proof: string } | undefined {
  if (keys === undefined && proof === undefined) return undefined
  for (const [option, given] of Object.entries({ keys, proof }))
    if (given === undefined || !/^0x([0-9a-f]{2})+$/.test(given))
      throw new Refusal(`--${option} is what the node told: 0x and an even number of digits from 0 to f.`)
  return { keys: keys ?? '', proof: proof ?? '' }
}
