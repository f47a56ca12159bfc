import {
  callHash,
  didCallNamed,
  didCalls,
  ParamError,
  type ParamPlace,
  type ParamProblem,
  paramProblemText,
  type ReadCall,
  readEach,
} from '@accredit/chain'
import { type Static, type TObject, Type } from 'typebox'
import { versionsOf } from '../ledger/read/registries/registry-states.js'
import { ApiError, invalid } from '../platform/errors.js'
import type { Context } from '../platform/http/context.js'
import { pointerTo } from '../platform/http/input/pointer.js'
import { blankText, type Problem, refusalOf, TOLD, unknownText } from '../platform/http/problems.js'
import { refuseBehindOurBack, standsAlone } from './own-did-guard.js'
import { callerSchema, ledgerParams, replacesCollection, SPEC_NAMES } from './spec-params.js'

const paramsByAction = Object.fromEntries(didCalls().map((call) => [call.name, callerSchema(call)]))

export const ACTIONS = Object.keys(paramsByAction).join(', ')

const ActionName = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The pallet and the call, as `x-params-by-action` names them',
  examples: ['TrustRegistry.suspend_issuers'],
})

const ActionParams = Type.Object(
  {},
  {
    additionalProperties: true,
    description: `By the names of the ledger’s metadata; \`x-params-by-action\` holds the JSON Schema for each action. ${SPEC_NAMES}`,
    'x-params-by-action': paramsByAction,
  },
)

const OneAction = Type.Object({ action: ActionName, params: ActionParams })
type OneAction = Static<typeof OneAction>

/** The number of calls that the ledger takes in one dispatch. */
const MOST_CALLS = 64

/** The actions of a DID: one, or several of which all happen or none. */
export const ActionsBody = {
  action: Type.Optional(ActionName),
  params: Type.Optional(ActionParams),
  actions: Type.Optional(
    Type.Array(OneAction, {
      minItems: 1,
      maxItems: MOST_CALLS,
      description: 'In place of `action` and `params`: several, in their order, of which all happen or none',
    }),
  ),
}
export type ActionsBody = Static<TObject<typeof ActionsBody>>

export const KeyId = Type.Integer({
  minimum: 0,
  maximum: 4_294_967_295,
  description: 'The number of the Ed25519 key that signs: n of `#keys-n`; 0 for a did:key',
})

/** The length limit of one action, which travels with others in an extrinsic and has to leave room for them. */
const MOST_BYTES = 256 * 1024

interface GuardedCall extends ReadCall {
  /** The name of the call as the metadata has it. */
  name: string
  nonce?: number
  /** The version of its registry that the service filled in. */
  filledIn?: ExpectedVersion
}

export interface ExpectedVersion {
  registryId: string
  expectedVersion: number
}

export interface Dispatch {
  /** The names of its calls. */
  name: string
  calls: readonly GuardedCall[]
  encoded: Uint8Array[]
  callHash: string
  /** The hash of its calls as the caller wrote them, before versions were filled in. */
  wishHash: string
  /** The DID's next nonce as the caller counted it. */
  nonce: number | undefined
  /** The versions that were filled in, in the form of the answer. */
  filledIn: { expectedVersions?: ExpectedVersion[] }
}

/**
 * Reads what a DID is to do in one dispatch, checked by the ledger's metadata, and fills in versions of registries that
 * it needs and does not name.
 */
export async function readDispatch(ctx: Context, body: ActionsBody): Promise<Dispatch> {
  const wish = await readWish(ctx, body)
  return withVersions(body, wish, await presentVersions(ctx, wish.calls))
}

/** Reads the same without filling anything in, as the caller wrote it. */
export async function readWish(ctx: Context, body: ActionsBody): Promise<Dispatch> {
  const { action, params, actions } = body
  const isOne = action !== undefined && params !== undefined
  if (actions ? (action ?? params) !== undefined : !isOne)
    throw invalid('Name either action and params, or actions: a list of them')
  const wish = dispatchOf(readCalls(body))
  const alone = wish.calls.length > 1 ? wish.calls.find(({ name }) => standsAlone(name)) : undefined
  if (alone) throw invalid(`${alone.name} stands alone: send it as an action of its own`)
  for (const call of wish.calls) await refuseBehindOurBack(ctx, call)
  if (new Set(wish.calls.flatMap((call) => call.nonce ?? [])).size > 1)
    throw invalid('Several actions are one step of the DID, with one nonce: these are different ones')
  return wish
}

function dispatchOf(calls: readonly GuardedCall[], wishHash?: string): Dispatch {
  const encoded = calls.map((call) => call.encoded)
  if (encoded.reduce((bytes, call) => bytes + call.length, 0) > MOST_BYTES)
    throw new ApiError('payload_too_large', `params make calls of more than ${MOST_BYTES} bytes`)
  const hash = callHash(encoded)
  const expectedVersions = calls.flatMap((call) => call.filledIn ?? [])
  return {
    name: calls.map(({ name }) => name).join(', '),
    calls,
    encoded,
    callHash: hash,
    wishHash: wishHash ?? hash,
    nonce: calls.find(({ nonce }) => nonce !== undefined)?.nonce,
    filledIn: { ...(expectedVersions.length > 0 && { expectedVersions }) },
  }
}

const SET_SCHEMAS = 'TrustRegistry.set_schemas_metadata'

const registryOf = ({ fields }: GuardedCall): string => String(fields.get('registryId'))

const needsVersion = ({ name, fields }: GuardedCall): boolean =>
  name === SET_SCHEMAS && fields.get('expectedVersion') === null && replacesCollection(fields.get('update'))

/**
 * Returns the versions of the registries that calls need and do not name, so that a change made meanwhile is not
 * overwritten.
 */
async function presentVersions(ctx: Context, calls: readonly GuardedCall[]): Promise<ExpectedVersion[]> {
  if (!calls.some(needsVersion)) return []
  const setting = calls.filter(({ name }) => name === SET_SCHEMAS)
  const versions = await versionsOf(ctx.index, setting.map(registryOf))
  return setting.flatMap((call) => {
    const registryId = registryOf(call)
    const expectedVersion = versions.get(registryId)
    if (expectedVersion === undefined) return []
    // Each call makes a version of its own.
    versions.set(registryId, expectedVersion + 1)
    return needsVersion(call) ? [{ registryId, expectedVersion }] : []
  })
}

/** Returns the dispatch with these versions, in order, where calls need one and name none. */
export function withVersions(body: ActionsBody, wish: Dispatch, versions: readonly ExpectedVersion[]): Dispatch {
  const left = [...versions]
  const calls = wish.calls.map((call, index) => {
    const found = needsVersion(call) ? left.findIndex(({ registryId }) => registryId === registryOf(call)) : -1
    const [filledIn] = found < 0 ? [] : left.splice(found, 1)
    const [action, place]: [OneAction | undefined, ParamPlace] =
      body.actions === undefined ? [oneOf(body), []] : [body.actions[index], ['actions', index]]
    if (filledIn === undefined || action === undefined) return call
    return { ...readCall(action, place, filledIn.expectedVersion), filledIn }
  })
  return dispatchOf(calls, wish.callHash)
}

const oneOf = ({ action, params }: ActionsBody): OneAction | undefined =>
  action === undefined || params === undefined ? undefined : { action, params }

/**
 * The most DIDs and schemas that a dispatch names: each takes a hash or a decoding, and the ledger takes 1,000 changes
 * in a call.
 */
const MOST_NAMED = 2_500

const namedIn = (value: unknown): number => {
  if (typeof value === 'string') return value.includes(':') ? 1 : 0
  if (typeof value !== 'object' || value === null) return 0
  if (Array.isArray(value)) return value.reduce((sum: number, item: unknown) => sum + namedIn(item), 0)
  return Object.entries(value).reduce((sum, [name, member]) => sum + namedIn(name) + namedIn(member), 0)
}

/** Throws 400 with the faults of all of them, each with its place in the body. */
function readCalls(body: ActionsBody): GuardedCall[] {
  if (namedIn(body.actions ?? body.params) > MOST_NAMED)
    throw new ApiError('payload_too_large', `params name more than ${MOST_NAMED.toLocaleString('en')} DIDs and schemas`)
  try {
    if (body.actions !== undefined) return readEach(body.actions, (one, index) => readCall(one, ['actions', index]))
    const one = oneOf(body)
    return one === undefined ? [] : [readCall(one, [])]
  } catch (error) {
    if (error instanceof ParamError)
      throw refusalOf(error.problems.slice(0, TOLD).map(problemOf), error.problems.length)
    throw error
  }
}

function readCall({ action, params: given }: OneAction, place: ParamPlace, expectedVersion?: number): GuardedCall {
  const call = didCallNamed(action)
  if (call !== undefined) {
    const within = [...place, 'params']
    const { params, nonce, asWritten } = ledgerParams(call.name, given, within)
    try {
      const read = call.read({ ...params, ...(expectedVersion !== undefined && { expectedVersion }) }, within)
      return { name: call.name, ...read, ...(nonce !== undefined && { nonce }) }
    } catch (error) {
      throw error instanceof ParamError ? asWritten(error) : error
    }
  }
  throw new ParamError([{ kind: 'wrong', place: [...place, 'action'], problem: `is not one of ${ACTIONS}` }])
}

function problemOf(problem: ParamProblem): Problem {
  const path = pointerTo(problem.place)
  if (problem.kind === 'wrong') return { path, message: paramProblemText(problem) }
  if (problem.kind === 'blank') return { path, message: blankText('member', String(problem.place.at(-1))) }
  return { path, isUnknown: true, message: unknownText('member', problem.name, problem.known) }
}
