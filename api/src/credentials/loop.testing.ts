import { AsyncResource } from 'node:async_hooks'
import type { FastifyInstance } from 'fastify'
import { buildApp } from '../app.js'
import { type CommonLoop, commonLoop } from '../dids/loop.testing.js'
import { jobEffects, leaders, ledgerEffects, runners } from '../effects.js'
import type { Json } from '../formats/json.js'
import { WAKING_CHANNELS } from '../ledger/write/channels.js'
import { jobWatchOf } from '../ledger/write/job-watch.js'
import { startLedgerLoop } from '../ledger/write/ledger-loop.js'
import { onWake } from '../ledger/write/wake.js'
import { type Listener, listen } from '../platform/database/listen.js'
import type { Environment, OperationServices } from '../platform/http/context.js'
import type { Served } from '../platform/http/operation.js'
import { allServed } from '../platform/testing/all-served.js'
import { type Answered, answerOf } from '../platform/testing/answered.js'
import { type ScratchDatabase, type TestTeam, testTeam } from '../platform/testing/scratch-database.js'
import { together } from '../runners.js'

export interface Answer extends Answered {
  header(name: string): string | undefined
}

/** A subject, and the path of a credential. */
export const degree = { degree: 'M.Sc. Physics' }
export const pathOf = (id: string): string => `/credentials/${encodeURIComponent(id)}`

/** The longest wait for a job; a long test with a time of its own waits as long as that. */
const FINISHED_MS = Number(process.env.TEST_TIMEOUT_MS ?? 150_000)

/** Starts the worker's part as its process does: it is woken, and seldom looks by itself. */
function startWorker(environment: Environment, systemUrl: string): Listener {
  const { log } = environment
  const services = { ...environment, jobEffects, ledgerEffects }
  const loop = startLedgerLoop(services, { pollMs: 250, onSettled: () => undefined, log })
  onWake(loop.wake)
  const running = together([...leaders, ...runners].map((start) => start(environment)))
  const channels = [...WAKING_CHANNELS, ...running.channels]
  const ear = listen(systemUrl, channels, (heard) => running.wake(heard) || loop.wake(heard), log)
  return {
    async close() {
      onWake(() => undefined)
      await ear.close()
      await running.stop()
      await loop.stop()
    },
  }
}

/** The api over a real ledger, signer and index; the worker's part goes on in the background. */
export class TestService {
  readonly #caller = new AsyncResource('caller')

  private constructor(
    readonly scratch: ScratchDatabase,
    readonly loop: CommonLoop,
    private readonly environment: Environment,
    private worker: Listener,
    readonly app: FastifyInstance,
    readonly team: TestTeam,
  ) {}

  /** @param ownLoop another loop than that which the files of a worker share */
  static async open(
    given: readonly Served[] = allServed,
    services: Partial<OperationServices & Pick<Environment, 'guardedFetch' | 'config' | 'passwordCost'>> = {},
    ownLoop?: CommonLoop,
  ): Promise<TestService> {
    const loop = ownLoop ?? (await commonLoop())
    const { scratch } = loop
    const { statusMethods } = services
    const own = statusMethods && { loadStatusMethods: async () => statusMethods }
    const environment = { ...loop.environment, ...services, ...own }
    const worker = startWorker(environment, scratch.systemUrl)
    const app = await buildApp(environment, given)
    return new TestService(scratch, loop, environment, worker, app, await testTeam(scratch.db))
  }

  async close(): Promise<void> {
    await this.worker.close()
    await this.app.close()
  }

  /** Says whether the ids of subjects are kept with the team's credentials from now on. */
  async storeSubjectRefs(storeSubjectRef = true): Promise<void> {
    await this.call('PATCH', `/teams/${this.team.team}`, { name: 'Test team', storeSubjectRef })
  }

  /** Another worker goes on with what the database holds. */
  async restartWorker(): Promise<void> {
    await this.worker.close()
    this.worker = startWorker(this.environment, this.scratch.systemUrl)
  }

  /** Sends requests while no worker runs: their jobs are done together, afterwards. */
  async whileNobodyWorks<Result>(ask: () => Promise<Result>): Promise<Result> {
    await this.worker.close()
    const result = await ask()
    this.worker = startWorker(this.environment, this.scratch.systemUrl)
    return result
  }

  async call(
    method: string,
    url: string,
    body?: Json,
    apiKey: string | undefined = this.team.apiKey,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    // Another caller asks, even where a test holds a transaction.
    const response = await this.#caller.runInAsyncScope(async () => {
      // The request begins when it is awaited.
      const answer = await this.app.inject({
        method: method as 'GET',
        url,
        headers: { ...(apiKey !== '' && { 'svc-api-token': apiKey }), 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { payload: JSON.stringify(body) }),
      })
      return answer
    })
    return { ...answerOf(response), header: (name) => response.headers[name]?.toString() }
  }

  /** A DID of the team, on the ledger. */
  async did(apiKey = this.team.apiKey, wish: Record<string, Json> = {}): Promise<string> {
    const { body } = await this.call('POST', '/dids', wish, apiKey)
    await this.finished(body.id, apiKey)
    return body.did
  }

  async issue(credential: Json, more: Record<string, Json> = {}): Promise<Answer> {
    return this.call('POST', '/credentials', { credential, ...more })
  }

  async verified(credential: Json): Promise<boolean> {
    return (await this.call('POST', '/verify', credential)).body.verified
  }

  /** Waits until a job has ended and answers its status. */
  async finished(job: string, apiKey = this.team.apiKey): Promise<string> {
    const until = Date.now() + FINISHED_MS
    for (;;) {
      const { body } = await this.call('GET', `/jobs/${job}`, undefined, apiKey)
      if (body.status === 'finalized' || body.status === 'error') return body.status
      if (Date.now() > until) throw new Error(`job ${job} did not end`)
      await jobWatchOf(this.environment).ended(job, 1000)
    }
  }
}
