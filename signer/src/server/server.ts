import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { hexOf } from '@accredit/chain'
import { beginSpan, isTracing } from '@accredit/process/tracing'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { ActionInbox } from '../actions/actions.store.js'
import type { WriteAudit } from '../audit.js'
import type { Capability } from '../capabilities.js'
import { SignerError } from '../errors.js'
import type { AccumulatorWork, AccumulatorWorked } from '../keys/accumulators.js'
import type { Keys, SignBytes } from '../keys/keys.js'
import type { MessageSigning } from '../keys/message-signing.js'
import * as wire from '../wire.js'
import { addDryRunRoutes, type DryRunRooms } from './dry-run.routes.js'
import { addProofRoutes, type ProofRooms } from './proof.routes.js'
import { post } from './typed-route.js'

export interface Rooms extends DryRunRooms, ProofRooms {
  keys: Keys
  messageSigning: MessageSigning
  inbox: ActionInbox
  audit: WriteAudit
  /** Called when actions have arrived. */
  wake(): void
  chainStatus(): Promise<wire.ChainStatus>
  feeAccount(): Promise<wire.FeeAccount>
  health(): wire.Health
}

const MUTUAL = { requestCert: true, rejectUnauthorized: true, minVersion: 'TLSv1.3' } as const

const serverWith =
  (tls: MutualTls | undefined) =>
  (listener: RequestListener): Server =>
    tls === undefined ? createServer(listener) : createTlsServer({ ...tls, ...MUTUAL }, listener)

const bodyLimit = 16 * 1024 * 1024

/** PEM texts: what this end shows, and the authority that vouches for the other one. */
export interface MutualTls {
  cert: string
  key: string
  ca: string
}

/** The requests that get in: over TCP those that know the token and, with TLS, show a certificate of the authority. */
export interface Admission {
  token?: string
  tls?: MutualTls | undefined
}

export function buildServer(rooms: Rooms, admission: Admission, log: FastifyBaseLogger): FastifyInstance {
  const app = openServer(admission, log)
  addKeyRoutes(app, rooms)
  addMessageRoutes(app, rooms)
  addAccumulatorRoutes(app, rooms)
  addActionRoutes(app, rooms)
  addDryRunRoutes(app, rooms)
  addProofRoutes(app, rooms)
  app.get('/chain', () => rooms.chainStatus())
  app.get('/fee-account', () => rooms.feeAccount())
  app.get('/health', () => rooms.health())
  return app
}

/** A server without routes: it admits requests, and tells errors. */
export function openServer({ token, tls }: Admission, log: FastifyBaseLogger): FastifyInstance {
  const app: FastifyInstance = Fastify({
    serverFactory: serverWith(tls),
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit,
  })
  traceRequests(app)
  if (token !== undefined) app.addHook('onRequest', requireToken(token))
  app.setErrorHandler((error, request, reply) => {
    const problem = problemOf(error)
    if (problem.status >= 500) request.log.error({ err: error, url: request.url }, 'A request failed.')
    return reply.status(problem.status).send({ type: problem.type, message: problem.message })
  })
  return app
}

/** A span for each request that belongs to a trace: those that poll belong to none. */
function traceRequests(app: FastifyInstance) {
  if (!isTracing()) return
  app.addHook('onRequest', (request, reply, done) => {
    const [parent] = [request.headers.traceparent].flat()
    if (parent === undefined) return done()
    const route = request.routeOptions.url ?? 'none'
    const span = beginSpan(`${request.method} ${route}`, {
      parent,
      kind: 'SERVER',
      attributes: { 'http.route': route },
    })
    reply.raw.once('close', () =>
      span?.end({
        hasFailed: reply.statusCode >= 500,
        attributes: { 'http.response.status_code': reply.statusCode },
      }),
    )
    done()
  })
}

/**
 * Guard, act, audit, answer: the life of every request that uses a capability. What `isNoted` is in the audit once it
 * has been done: its entry is stored with it.
 */
function guarded(rooms: Rooms, { isNoted } = { isNoted: false }) {
  return async <Result>(
    entry: { capability: Capability; operation: string; subjects: string[] },
    act: () => Promise<Result>,
  ): Promise<Result> => {
    try {
      rooms.guard.take(entry.capability, entry.subjects.length)
      const result = await act()
      if (!isNoted) await rooms.audit({ ...entry, outcome: 'done' })
      return result
    } catch (error) {
      if (error instanceof SignerError) await rooms.audit({ ...entry, outcome: error.type })
      throw error
    }
  }
}

function addKeyRoutes(app: FastifyInstance, rooms: Rooms) {
  const { keys } = rooms
  const using = guarded(rooms)
  const usingNoted = guarded(rooms, { isNoted: true })
  post(app, '/keys', wire.MakeKeysRequest, ({ handle, kinds, share }) =>
    usingNoted({ capability: 'keys', operation: 'makeKeys', subjects: [handle] }, async () => ({
      keys: await keys.make(handle, kinds, share),
    })),
  )
  post(app, '/keys/import', wire.ImportKeysRequest, ({ handle, keys: given, share }) =>
    usingNoted({ capability: 'keys', operation: 'importKeys', subjects: [handle] }, async () => ({
      keys: await keys.import(handle, given, share),
    })),
  )
  post(app, '/keys/bind', wire.BindKeysRequest, ({ handle }) =>
    usingNoted({ capability: 'keys', operation: 'bindKeys', subjects: [handle] }, async () => ({
      done: await keys.bind(handle),
    })),
  )
  post(app, '/keys/retire', wire.RetireKeysRequest, ({ keyRefs }) =>
    using({ capability: 'keys', operation: 'retireKeys', subjects: keyRefs }, async () => ({
      done: await keys.retire(keyRefs),
    })),
  )
  post(app, '/keys/destroy', wire.DestroyKeysRequest, ({ keyRefs }) =>
    using({ capability: 'keys', operation: 'destroyKeys', subjects: keyRefs }, async () => ({
      done: await keys.destroy(keyRefs),
    })),
  )
  post(app, '/keys/export', wire.ExportKeysRequest, ({ keyRefs }) =>
    using({ capability: 'export', operation: 'exportKeys', subjects: keyRefs }, async () => ({
      keys: await keys.export(keyRefs),
    })),
  )
  post(app, '/sign', wire.SignRequest, ({ requests }) => {
    const keyRefs = requests.map(({ keyRef }) => keyRef)
    return using({ capability: 'sign', operation: 'sign', subjects: keyRefs }, async () => {
      const signing = await keys.signing(keyRefs)
      return { results: requests.map(({ keyRef, bytes }) => signatureOf(signing.get(keyRef), bytes)) }
    })
  })
}

function addMessageRoutes(app: FastifyInstance, rooms: Rooms) {
  const { keys, messageSigning } = rooms
  const using = guarded(rooms)
  post(app, '/sign-messages', wire.SignMessagesRequest, ({ keyRef, messages, share = keyRef }) =>
    using({ capability: 'sign', operation: 'signMessages', subjects: [keyRef] }, async () => {
      const signature = await keys.using(keyRef, 'sign', (kind, secret) =>
        messageSigning.sign({ kind, secret, share }, messages.map(fromBase64)),
      )
      return { signature: Buffer.from(signature).toString('base64') }
    }),
  )
  post(app, '/verify-keyed', wire.VerifyKeyedRequest, ({ keyRef, share = keyRef, ...given }) =>
    using({ capability: 'sign', operation: 'verifyKeyed', subjects: [keyRef] }, async () => {
      const keyed =
        'proof' in given
          ? { proof: fromBase64(given.proof) }
          : { messages: given.messages.map(fromBase64), mac: fromBase64(given.mac) }
      return {
        isValid: await keys.using(keyRef, 'check', (kind, secret) =>
          messageSigning.verify({ kind, secret, share }, keyed),
        ),
      }
    }),
  )
}

function addAccumulatorRoutes(app: FastifyInstance, { keys, messageSigning, ...rooms }: Rooms) {
  const using = guarded({ keys, messageSigning, ...rooms })
  const work = (keyRef: string, asked: AccumulatorWork) =>
    keys.using(keyRef, 'sign', (kind, secret) => messageSigning.accumulate({ kind, secret, share: keyRef }, asked))
  post(app, '/accumulators/update', wire.UpdateAccumulatorRequest, ({ keyRef, accumulated, additions, removals }) =>
    using({ capability: 'sign', operation: 'updateAccumulator', subjects: [keyRef] }, async () =>
      inHex(await work(keyRef, { accumulated: bytesIn(accumulated), additions, removals })),
    ),
  )
  post(app, '/accumulators/witness', wire.AccumulatorWitnessRequest, ({ keyRef, accumulated, members }) =>
    using({ capability: 'sign', operation: 'accumulatorWitness', subjects: [keyRef] }, async () =>
      inHex(await work(keyRef, { accumulated: bytesIn(accumulated), members })),
    ),
  )
}

const bytesIn = (hex: string): Uint8Array => new Uint8Array(wire.bytesOf(hex))

const inHex = (worked: AccumulatorWorked) =>
  'witnesses' in worked
    ? { witnesses: worked.witnesses.map(hexOf) }
    : { accumulated: hexOf(worked.accumulated), witnessUpdateInfo: hexOf(worked.witnessUpdateInfo) }

const fromBase64 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'))

/** Acting is a capability of its own, so that a DID's action for the ledger is never signed here. */
const actingTags = ['accredit/did/create/', 'accredit/did/dispatch/']

function signatureOf(sign: SignBytes | undefined, text: string) {
  if (sign === undefined)
    return { problem: { type: 'key_not_found', message: 'There is no such key, or it is damaged.' } }
  const bytes = Buffer.from(text, 'base64')
  if (actingTags.some((tag) => bytes.subarray(0, tag.length).toString('latin1') === tag)) {
    return { problem: { type: 'acts_on_ledger', message: 'These bytes act on the ledger: submit an action instead.' } }
  }
  try {
    return { signature: sign(bytes).toString('base64') }
  } catch (cause) {
    if (!(cause instanceof SignerError)) throw cause
    return { problem: { type: 'key_cannot_sign', message: cause.message } }
  }
}

function addActionRoutes(app: FastifyInstance, rooms: Rooms) {
  const using = guarded(rooms, { isNoted: true })
  post(app, '/actions', wire.SubmitActionsRequest, ({ actions }) => {
    const subjects = actions.map(({ id }) => id)
    return using({ capability: 'act', operation: 'submitActions', subjects }, async () => {
      const accepted = await rooms.inbox.accept(actions)
      rooms.wake()
      return { accepted }
    })
  })
  post(app, '/actions/states', wire.ActionStatesRequest, async ({ ids }) => ({ states: await rooms.inbox.states(ids) }))
}

function requireToken(token: string) {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  const expected = digest(`Bearer ${token}`)
  return async (request: { headers: { authorization?: string | undefined } }) => {
    if (!timingSafeEqual(expected, digest(request.headers.authorization ?? ''))) {
      throw new SignerError(401, 'token_wrong', 'The token is missing or wrong.')
    }
  }
}

function problemOf(error: unknown): { status: number; type: string; message: string } {
  if (error instanceof SignerError) return error
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
  if (status >= 400 && status < 500 && error instanceof Error) {
    return { status, type: 'invalid_request', message: error.message }
  }
  return { status: 500, type: 'internal', message: 'The signer failed; its log says why.' }
}
