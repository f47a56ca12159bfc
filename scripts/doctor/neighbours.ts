import { getSystemErrorName } from 'node:util'
import type { ReadyCheckName } from '@accredit/process/readiness'
import { Redis } from 'ioredis'
import { createTransport } from 'nodemailer'
import { codeOf, messageOf } from '../start/refusal.js'
import { type Finding, fault, isNoWayOut, notChecked, ok, warning } from './finding.js'

const PATIENCE_MS = 5_000

export async function checkRedis(url: string): Promise<Finding[]> {
  const redis = new Redis(url, {
    lazyConnect: true,
    retryStrategy: () => null,
    connectTimeout: PATIENCE_MS,
    maxRetriesPerRequest: 0,
  })
  let cause: unknown
  redis.on('error', (error) => {
    cause = error
  })
  try {
    await redis.connect()
    await redis.ping()
    const policy = /maxmemory_policy:(\S+)/.exec(await redis.info('memory'))?.[1] ?? 'unknown'
    if (policy !== 'noeviction')
      return [
        warning(
          'redis',
          `Redis answers, and forgets keys when its memory is full (${policy}).`,
          'Set maxmemory-policy noeviction: the queue loses entries otherwise, and finds them again late.',
        ),
      ]
    return [ok('redis', 'Redis answers.')]
  } catch (error) {
    return [
      fault(
        'redis',
        `Redis does not answer: ${codeOf(cause ?? error)}.`,
        'Start it, or correct REDIS_URL. Jobs wait in the database meanwhile, and none is lost.',
      ),
    ]
  } finally {
    redis.disconnect()
  }
}

export async function checkMail(url: string): Promise<Finding[]> {
  const transport = createTransport({ url, connectionTimeout: PATIENCE_MS, greetingTimeout: PATIENCE_MS })
  try {
    await transport.verify()
    return [ok('mail', 'The mail server lets us in.')]
  } catch (error) {
    return [mailFault(error)]
  } finally {
    transport.close()
  }
}

/** Tells a refusal from a server that does not answer, and from one that is out of reach of this machine. */
export function mailFault(error: unknown): Finding {
  const waits = 'Mails wait meanwhile, until they expire.'
  const why = socketCodeOf(error)
  if (isNoWayOut(why))
    return notChecked('mail', `The mail server of SMTP_URL is out of reach from here (${why}), and was not asked.`)
  if (codeOf(error) === 'EAUTH')
    return fault(
      'mail',
      'The mail server of SMTP_URL refuses us (EAUTH).',
      `Correct the user and password in SMTP_URL. ${waits}`,
    )
  return fault(
    'mail',
    `The mail server of SMTP_URL does not answer as one: ${why}.`,
    `Correct the host and port in SMTP_URL, or start the server. ${waits}`,
  )
}

/** Nodemailer has codes of its own, and keeps the number of the system's. */
function socketCodeOf(error: unknown): string {
  const errno = error instanceof Error && 'errno' in error ? error.errno : undefined
  return typeof errno === 'number' && errno < 0 ? getSystemErrorName(errno) : codeOf(error)
}

interface Remedy {
  /** A check without which nothing is known of this one. */
  cause?: ReadyCheckName
  /** Returns what to do, by the API's words for the reason. */
  against(reason: string): string
}

/** The remedies for the faults that the API finds itself. */
const REMEDIES: Record<ReadyCheckName, Remedy> = {
  database: { against: () => 'See the findings about the database.' },
  signer: {
    against: () => 'See the log of the signer; it may wait for another signer, or for its database. Start it again.',
  },
  ledger: {
    cause: 'signer',
    against: () =>
      'See the log of the ledger, and start it again if it stands still; on a network, see whether the nodes of LEDGER_URLS answer.',
  },
  ledgerIndex: {
    cause: 'ledger',
    against: (reason) => {
      if (reason.includes('lags'))
        return 'See the log of the indexer, and start it again if it stands still; npm run rebuild -w indexer builds an index anew.'
      if (reason.endsWith('old'))
        return "See whether the network's blocks become final (npm run council -- status), and whether this machine's clock is right."
      if (reason.includes('ahead of the clock')) return 'Let this machine follow a time server: its clock is behind.'
      return 'See the findings about the database, which holds the index.'
    },
  },
  fees: {
    cause: 'ledger',
    against: (reason) =>
      reason.includes('poor')
        ? "Fill the signer's fee account: its address stands in the line `ready` of the signer's log."
        : 'Ask again in a moment: nothing was told of the fee account.',
  },
}

const isKnown = (name: string): name is ReadyCheckName => Object.hasOwn(REMEDIES, name)

function remedyFor(name: string, reason: string, checks: Readonly<Record<string, unknown>>): string {
  // An API of another version may look at more.
  if (!isKnown(name)) return "See the API's log."
  const { cause, against } = REMEDIES[name]
  const isFollowing = cause !== undefined && checks[cause] !== undefined && checks[cause] !== 'ok'
  return isFollowing ? `Mend the ${cause} first: without it nothing is known of this.` : against(reason)
}

/** Asks a running API for what it finds itself: an address that MONITOR_ADDRESSES names hears the faults. */
export async function checkApi(apiUrl: string): Promise<Finding[]> {
  let body: { ready?: unknown; checks?: Record<string, unknown> }
  try {
    const answer = await fetch(`${apiUrl}/ready`, { signal: AbortSignal.timeout(PATIENCE_MS) })
    body = JSON.parse(await answer.text())
  } catch (error) {
    const why = error instanceof Error && error.cause ? codeOf(error.cause) : messageOf(error)
    return [
      fault(
        'api',
        `${apiUrl} does not answer: ${why}.`,
        'Start Accredit (npm start, or docker compose up -d), and see its log for why it ended.',
      ),
    ]
  }
  const { ready, checks } = body
  if (!checks)
    return [
      ready === true
        ? ok('api', `${apiUrl} is ready.`)
        : fault('api', `${apiUrl} is not ready.`, 'Ask it from an address of MONITOR_ADDRESSES, which hears why.'),
    ]
  return Object.entries(checks).map(([name, how]) =>
    how === 'ok'
      ? ok('api', `${name} is well.`)
      : fault('api', `${name}: ${how}.`, remedyFor(name, String(how), checks)),
  )
}

export const notSet = (check: string, setting: string): Finding => notChecked(check, `${setting} is not set.`)
