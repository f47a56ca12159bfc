import type { Loop } from '@accredit/process/loop'
import { buildApp } from '../app.js'
import { readConfig } from '../config.js'
import type { Environment } from '../platform/http/context.js'
import type { Clock } from '../platform/process/clock.js'
import { type Answered, answerOf } from '../platform/testing/answered.js'
import { requestAs } from '../platform/testing/request-as.js'
import {
  PATIENT,
  serviceDatabase,
  type TestTeam,
  testEnvironment,
  testTeam,
} from '../platform/testing/scratch-database.js'
import './webhook.tables.js'
import { startDeliveries } from './delivering/start-deliveries.js'
import { webhooks } from './operations.js'
import { openReceiver, type Receiver } from './receiver.testing.js'

/** A clock that tests move on. */
export function movedClock(): Clock & { move(ms: number): void } {
  let moved = 0
  return {
    now: () => new Date(Date.now() + moved),
    move: (ms) => {
      moved += ms
    },
  }
}

/** The api of web hooks, its deliveries, and teams with receivers. */
export async function openDeliveries(settings: Record<string, string> = {}) {
  const scratch = await serviceDatabase()
  const clock = movedClock()
  const config = readConfig({
    DATABASE_URL: scratch.tenantUrl,
    SYSTEM_DATABASE_URL: scratch.systemUrl,
    WEBHOOK_TIMEOUT_MS: '1000',
    ...PATIENT,
    ...settings,
  })
  const environment: Environment = testEnvironment(scratch, { clock, config })
  const app = await buildApp(environment, [webhooks])
  const receivers: Receiver[] = []
  let loop: Loop | undefined
  const world = {
    scratch,
    clock,
    environment,
    /** Starts the deliveries, where they do not run. */
    run(): void {
      loop ??= startDeliveries(environment)
      loop.wake()
    },
    async stop() {
      await loop?.stop()
      loop = undefined
    },
    team: () => testTeam(scratch.db),
    async receiver(): Promise<Receiver> {
      const receiver = await openReceiver()
      receivers.push(receiver)
      return receiver
    },
    call: async (team: TestTeam, method: string, url: string, body?: object): Promise<Answered> =>
      answerOf(await requestAs(app, team, method, url, body)),
    async hook(team: TestTeam, url: string, body: object = {}) {
      const answer = await world.call(team, 'POST', '/webhooks', { url, events: ['did_create'], ...body })
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
      return answer.body as { id: string; secret: string; signingSecret: string }
    },
    /** Stores events of one resource in one transaction, and wakes the deliveries. */
    async emit(team: TestTeam, resource: string, ...numbers: number[]) {
      const events = numbers.map((number) => ({ team: team.team, event: 'did_create', data: { number }, resource }))
      await scratch.db.transaction('system', (tx) => tx.emitAll(events))
      loop?.wake()
    },
    async deliveries(webhook: string) {
      return scratch.db.read('system', (reader) =>
        reader.selectFrom('webhook_deliveries').selectAll().where('webhook_id', '=', webhook).orderBy('id').execute(),
      )
    },
    /** Moves the clock, and looks for what is due by then. */
    later(ms: number) {
      clock.move(ms)
      loop?.wake()
    },
    async close() {
      await world.stop()
      await Promise.all(receivers.map((receiver) => receiver.close()))
      await app.close()
      await scratch.close()
    },
  }
  return world
}

export const numbersOf = ({ received }: Receiver): unknown[] => received.map(({ data }) => data.number)
