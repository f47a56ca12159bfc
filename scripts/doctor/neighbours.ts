import { Redis } from 'ioredis'
import { createTransport } from 'nodemailer'
import { codeOf, messageOf } from '../start/refusal.js'
import { type Finding, fault, notChecked, ok, warning } from './finding.js'

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
    return [
      fault(
        'mail',
        `The mail server of SMTP_URL refuses us: ${codeOf(error)}.`,
        'Correct SMTP_URL, its user and password. Mails wait meanwhile, until they expire.',
      ),
    ]
  } finally {
    transport.close()
  }
}

/** The remedies for the faults that the API finds itself, by the names of its checks. */
const REMEDIES: Record<string, string> = {
  database: 'See the findings about the database.',
  signer: 'See the log of the signer; it may wait for another signer, or for the ledger.',
  index: 'See the log of the indexer; npm run rebuild -w indexer builds an index anew.',
  fees: "Fill the signer's fee account: its address stands in the line `ready` of the signer's log.",
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
        'Start Accredit (npm start), and see accredit.log for why it ended.',
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
      : fault('api', `${name}: ${how}.`, REMEDIES[name] ?? "See the API's log."),
  )
}

export const notSet = (check: string, setting: string): Finding => notChecked(check, `${setting} is not set.`)
