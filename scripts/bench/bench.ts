import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { asksForHelp, type StartOptions } from '../start/options.js'
import { freePort } from '../start/processes/ports.js'
import { type Stack, startStack } from '../start/stack.js'
import { loadSettings } from '../start/state/settings.js'
import { type Client, connect } from '../tour/client.js'
import { measureAccounts } from './accounts.js'
import { measureAccumulators } from './accumulators.js'
import { measureAudit } from './audit.js'
import { measureBatches } from './batch.js'
import { measureCatchUp } from './catch-up.js'
import { degreeIssuer } from './degrees.js'
import { burstOfDids, didToFinal } from './dids.js'
import { measureFairness } from './fairness.js'
import { measureFormats } from './formats.js'
import { measureHostile } from './hostile/hostile.js'
import { SCENES } from './hostile/scenes.js'
import { measureInstitutions, measureManyInstitutions } from './institutions.js'
import { measureJobs } from './jobs.js'
import { measureLists } from './lists.js'
import { type MailCounter, mailCounter } from './mail-counter.js'
import { HEAD, type Measured, measure, percentiles, row } from './measure.js'
import { measureOperations } from './operations.js'
import { type ProcessorMeter, processorMeter } from './processor-time.js'
import { measureReplicas } from './replicas.js'
import { measureStarts } from './starts.js'
import { measureWebhooks } from './webhooks.js'

/**
 * Starts the product on an embedded database of its own, measures (all, or one part), prints a table, forgets
 * everything.
 */
export async function bench(projectRoot: string, argv: readonly string[]): Promise<void> {
  if (asksForHelp(argv)) return console.log(usage())
  const [only, scene] = argv
  const parts = only === undefined ? Object.entries(PARTS) : Object.entries(ALL_PARTS).filter(([name]) => name === only)
  if (parts.length === 0 && only !== 'hostile') throw new Error(`There is no part ${only}.\n${usage()}`)
  const stateDir = await mkdtemp(join(tmpdir(), 'accredit-bench-'))
  await chmod(stateDir, 0o755)
  const options: StartOptions = {
    projectRoot,
    environment: 'sandbox',
    fresh: false,
    tour: false,
    port: await freePort(),
    databaseUrl: undefined,
    stateDir,
  }
  // The loopback address is no proxy here, since the attacker uses it.
  if (only === 'hostile') process.env.TRUSTED_PROXIES = '192.0.2.1'
  const mail = await mailCounter()
  process.env.SMTP_URL = mail.url
  const settings = await loadSettings(options)
  const stack = await startStack(options, settings, { step: () => {}, tell: console.error })
  try {
    console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}\n`)
    const client = connect(stack.apiUrl, stack.apiKey)
    // This part is not in the whole: it measures the effect of one client on another, in a table of its own.
    if (only === 'hostile')
      return await measureHostile({ stack, client, innocentKey: await stack.newTeam('Innocent'), only: scene })
    console.log(HEAD)
    const meter = processorMeter(stack.pids)
    for (const [, part] of parts)
      await part({
        client,
        stack,
        projectRoot,
        stateDir,
        mail,
        meter,
        print: (measured) => console.log(row(measured)),
        count: scene === undefined ? undefined : Number(scene),
      })
  } finally {
    await stack.stop()
    mail.close()
    await rm(stateDir, { recursive: true, force: true })
  }
}

const usage = (): string => `npm run bench -- [PART]
  Starts the product on a database and a ledger of its own, measures it through REST, prints a table and forgets everything.
  PART  one of ${Object.keys(PARTS).join(', ')}; all of them when left out
        or one of these, which take minutes each, and are measured by their name alone:
  replicas           what a second replica of the API costs, idle and under load
  jobs [COUNT]       what other teams wait while one has 100,000 jobs, or COUNT
  many-institutions  100,000 into one registry, in ten requests
  catch-up           a second index of a chain of 3,000 blocks, three times
  operations         what one DID, credential, verification and read take of the processor
  starts             from the sources alone to serving, and later starts
  hostile [SCENE]    what one client feels while another one attacks; all scenes when left out: ${Object.keys(SCENES).join(', ')}`

interface Bench {
  client: Client
  stack: Stack
  projectRoot: string
  stateDir: string
  mail: MailCounter
  meter: ProcessorMeter
  print: (measured: Measured) => void
  /** The number of what it makes; default: its own. */
  count: number | undefined
}

const PARTS: Record<string, (bench: Bench) => Promise<void>> = {
  dids: async ({ client, meter, print }) => {
    await measureDids(client, 100, meter, () => {})
    await measureDids(client, 1000, meter, print)
  },
  credentials: ({ client, meter, print }) => measureCredentials(client, meter, print),
  formats: ({ client, meter, print }) => measureFormats({ client, meter, print }),
  batch: ({ client, meter, print }) => measureBatches(client, meter, print),
  lists: ({ stack, client, meter, print }) => measureLists({ stack, client, meter, print }),
  accumulators: ({ client, meter, print }) => measureAccumulators({ client, meter, print }),
  latency: async ({ client, print }) => print(await measureLatency(client)),
  institutions: ({ client, meter, print }) => measureInstitutions(client, meter, print),
  fairness: ({ stack, print }) => measureFairness(stack, print),
  webhooks: ({ stack, print }) => measureWebhooks(stack, print),
  accounts: ({ stack, client, meter, print }) => measureAccounts({ stack, client, meter, print }),
  audit: async ({ stack, projectRoot, meter, print }) => {
    console.log('\nRead from an index that was filled directly: 10,000 participants, 100,000 events\n')
    await measureAudit(stack, projectRoot, meter, print)
  },
}

/** Parts that are measured when they are named: they take long. */
const LONG_PARTS: typeof PARTS = {
  replicas: ({ stack, projectRoot, stateDir, print }) => measureReplicas({ stack, projectRoot, stateDir, print }),
  jobs: ({ stack, mail, print, count }) => measureJobs({ stack, mail, print, queued: count }),
  'many-institutions': ({ client, meter, print }) => measureManyInstitutions(client, meter, print),
  'catch-up': ({ stack, projectRoot, print }) => measureCatchUp(stack, projectRoot, print),
  starts: ({ projectRoot, print }) => measureStarts(projectRoot, print),
  operations: ({ client, meter, print }) => measureOperations(client, meter, print),
}

const ALL_PARTS = { ...PARTS, ...LONG_PARTS }

async function measureDids(
  client: Client,
  count: number,
  meter: ProcessorMeter,
  print: (measured: Measured) => void,
): Promise<void> {
  const { dids, accepted, final } = await burstOfDids(client, count, meter)
  print(accepted)
  print(final)
  const read = (index: number) => client.call('GET', `/dids/${dids[index]}`)
  print((await measure('DIDs read', count, 16, read, meter)).measured)
}

async function measureCredentials(
  client: Client,
  meter: ProcessorMeter,
  print: (measured: Measured) => void,
): Promise<void> {
  const { issue, verify } = await degreeIssuer(client)
  await issue(true)()
  await measure('warm-up', 100, 8, issue(false))
  print((await measure('Credentials issued', 1000, 16, issue(false), meter)).measured)
  const revocable = await measure('Credentials issued, revocable', 1000, 16, issue(true), meter)
  print(revocable.measured)
  for (const format of ['jwt', 'sdjwt']) {
    await measure('warm-up', 100, 8, issue(false, format))
    const tokens = await measure(`Credentials issued, ${format}`, 1000, 16, issue(false, format), meter)
    print(tokens.measured)
    const verifyToken = (index: number) => verify({ data: tokens.answers[index] })
    print((await measure(`Credentials verified, ${format}`, 1000, 16, verifyToken, meter)).measured)
  }
  const verifyRevocable = (index: number) => verify(revocable.answers[index])
  await measure('warm-up', 100, 8, verifyRevocable)
  print((await measure('Credentials verified, with status', 1000, 16, verifyRevocable, meter)).measured)
  print((await measure('One DID after the other, accepted to final', 20, 1, () => didToFinal(client), meter)).measured)
}

/** Measures from the time in a block's header to the first answer over REST that contains its event. */
async function measureLatency(client: Client): Promise<Measured> {
  const times: number[] = []
  for (let round = 0; round < 20; round++) {
    const { did } = await client.call<{ did: string }>('POST', '/dids', {})
    for (;;) {
      const { list } = await client
        .call<{ list: { time: string }[] }>('GET', `/dids/${did}/history?limit=1`)
        .catch(() => ({ list: [] }))
      const [event] = list
      if (!event) continue
      times.push(Date.now() - Date.parse(event.time))
      break
    }
  }
  const total = times.reduce((sum, time) => sum + time, 0) / 1000
  return {
    title: 'Block time to its event over REST',
    count: times.length,
    perSecond: times.length / total,
    ...percentiles(times),
  }
}
