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
import type { Context } from '../platform/context.js'
import { ApiError, invalid } from '../platform/errors.js'
import { pointerTo } from '../platform/pointer.js'
import { blankText, type Problem, refusalOf, unknownText } from '../platform/problems.js'
import { refuseBehindOurBack, standsAlone } from './own-did-guard.js'

const paramsByAction = Object.fromEntries(didCalls().map(({ name, paramsSchema }) => [name, paramsSchema]))

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
    description: 'By the names of the ledger’s metadata; `x-params-by-action` holds the JSON Schema for each action',
    'x-params-by-action': paramsByAction,
  },
)

const OneAction = Type.Object({ action: ActionName, params: ActionParams })

/** As many calls as the ledger takes in one dispatch. */
const MOST_CALLS = 64

/** What a DID does: one thing, or several of which all happen or none. */
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
type ActionsBody = Static<TObject<typeof ActionsBody>>

export const KeyId = Type.Integer({
  minimum: 0,
  maximum: 4_294_967_295,
  description: 'The number of the Ed25519 key that signs: n of `#keys-n`; 0 for a did:key',
})

/** One action travels with others in an extrinsic, and has to leave room for them. */
const MOST_BYTES = 256 * 1024

interface GuardedCall extends ReadCall {
  /** As the metadata name it. */
  name: string
}

export interface Dispatch {
  /** The names of its calls. */
  name: string
  calls: readonly GuardedCall[]
  encoded: Uint8Array[]
  callHash: string
}

/** What a DID is to do in one dispatch, checked by the ledger's metadata. */
export async function readDispatch(ctx: Context, body: ActionsBody): Promise<Dispatch> {
  const { action, params, actions } = body
  const isOne = action !== undefined && params !== undefined
  if (actions ? (action ?? params) !== undefined : !isOne)
    throw invalid('Name either action and params, or actions: a list of them')
  const calls = readCalls(body)
  const encoded = calls.map((call) => call.encoded)
  if (encoded.reduce((bytes, call) => bytes + call.length, 0) > MOST_BYTES)
    throw new ApiError('payload_too_large', `params make calls of more than ${MOST_BYTES} bytes`)
  const alone = calls.length > 1 ? calls.find(({ name }) => standsAlone(name)) : undefined
  if (alone) throw invalid(`${alone.name} stands alone: send it as an action of its own`)
  for (const call of calls) await refuseBehindOurBack(ctx, call)
  return { name: calls.map(({ name }) => name).join(', '), calls, encoded, callHash: callHash(encoded) }
}

/** Throws 400 with all that is wrong in any of them, each with its place in the body. */
function readCalls({ action, params, actions }: ActionsBody): GuardedCall[] {
  try {
    if (actions !== undefined) return readEach(actions, (one, index) => readCall(one, ['actions', index]))
    return action === undefined || params === undefined ? [] : [readCall({ action, params }, [])]
  } catch (error) {
    if (error instanceof ParamError) throw refusalOf(error.problems.map(problemOf))
    throw error
  }
}

function readCall({ action, params }: Static<typeof OneAction>, place: ParamPlace): GuardedCall {
  const call = didCallNamed(action)
  if (call !== undefined) return { name: call.name, ...call.read(params, [...place, 'params']) }
  throw new ParamError([{ kind: 'wrong', place: [...place, 'action'], problem: `is not one of ${ACTIONS}` }])
}

function problemOf(problem: ParamProblem): Problem {
  const path = pointerTo(problem.place)
  if (problem.kind === 'wrong') return { path, message: paramProblemText(problem) }
  if (problem.kind === 'blank') return { path, message: blankText('member', String(problem.place.at(-1))) }
  return { path, isUnknown: true, message: unknownText('member', problem.name, problem.known) }
}
