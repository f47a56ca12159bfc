import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { institutions, tour } from '../tour/tour.js'
import { type Announcer, announcer } from './announcer.js'
import { asksForHelp, parseOptions, type StartOptions, startUsage } from './options.js'
import { requireFreePort } from './processes/ports.js'
import { messageOf, Refusal } from './refusal.js'
import { type Stack, startStack } from './stack.js'
import { forget } from './state/forget.js'
import { journalFile } from './state/journal.js'
import { lock } from './state/lock.js'
import { requireKeptSettings } from './state/lost-settings.js'
import { loadSettings, type Settings, saveSettings } from './state/settings.js'

const LOOK_AROUND_MS = 500

/** Starts everything, shows the tour once, and serves until it is told to stop, or its starter is gone. */
export async function main(argv: string[], projectRoot: string, isStarterGone = () => false): Promise<void> {
  if (asksForHelp(argv)) return console.log(startUsage)
  const begun = Date.now()
  const words = announcer()
  try {
    const options = parseOptions(argv, projectRoot, process.env)
    const unlock = await lock(options.stateDir)
    if (options.fresh) await forgetAll(options, words)
    requireKeptSettings(options.stateDir)
    await serve(options, await loadSettings(options), { words, unlock, begun, isStarterGone })
  } catch (error) {
    words.refuse(sentenceFor(error))
    process.exit(1)
  }
}

async function forgetAll(options: StartOptions, words: Announcer): Promise<void> {
  await forget(options)
  const journal = journalFile(options.stateDir)
  if (existsSync(journal))
    words.say(
      `All is forgotten but the journal of erasures and revoked keys (${journal}): a copy restored here needs it.`,
    )
}

async function serve(
  options: StartOptions,
  settings: Settings,
  {
    words,
    unlock,
    begun,
    isStarterGone,
  }: { words: Announcer; unlock(): Promise<void>; begun: number; isStarterGone(): boolean },
): Promise<void> {
  let stack: Stack | undefined
  const starting = new AbortController()
  const stop = async (wanted: number) => {
    let code = wanted
    try {
      await stack?.stop()
    } catch (error) {
      words.refuse(`All processes have ended, and something is left: ${messageOf(error)}`)
      code = 1
    }
    await unlock().catch((error) => words.refuse(messageOf(error)))
    process.exit(code)
  }
  const end = (why: string) => {
    if (starting.signal.aborted) return
    starting.abort()
    words.say(why)
    if (stack) void stop(0)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end('Stopping.'))
  setInterval(() => isStarterGone() && end('Whoever started this is gone. Stopping.'), LOOK_AROUND_MS).unref()
  try {
    await requireFreePort(settings.port, '(first start only) choose another port: npm start -- --port N')
    if (settings.ledgerUrls === undefined)
      await requireFreePort(settings.ledgerPort, 'choose another port for the ledger: npm start -- --ledger-port N')
    const report = {
      step: (title: string) => words.say(`${title} ...`),
      tell: (sentence: string) => words.say(sentence),
    }
    stack = await startStack(options, settings, report, starting.signal)
  } catch (error) {
    if (!starting.signal.aborted) words.refuse(sentenceFor(error))
    return stop(starting.signal.aborted ? 0 : 1)
  }
  if (starting.signal.aborted) return stop(0)
  words.say(`Ready in ${((Date.now() - begun) / 1000).toFixed(1)} s.\n`)
  // The tour invents data, which does not belong on a production ledger.
  const isTourWanted = options.tour && options.environment === 'sandbox' && !settings.tourDone && stack.hasFees
  if (isTourWanted) await showTour(options, settings, stack, words)
  await tellAddresses(options, stack, words)
}

const sentenceFor = (error: unknown): string =>
  error instanceof Refusal ? error.message : `Accredit could not start: ${messageOf(error)}`

async function showTour(options: StartOptions, settings: Settings, stack: Stack, words: Announcer): Promise<void> {
  try {
    await tour(stack, institutions(), (line) => words.say(line))
    await saveSettings(options.stateDir, { ...settings, tourDone: true })
  } catch (error) {
    words.say(`The tour broke off: ${messageOf(error)}. The service runs on.`)
  }
}

async function tellAddresses({ stateDir, environment }: StartOptions, stack: Stack, words: Announcer): Promise<void> {
  const { apiUrl, apiKey, ledgerUrl } = stack
  // The service runs: a list that cannot be had does not end it.
  const keys = await stack.keys().catch((error: unknown) => [messageOf(error)])
  const text = `
Accredit (${environment}) is running.
  API       ${apiUrl}          reference: ${apiUrl}/docs
  Ledger    ${ledgerUrl}       (any Substrate tool can connect)
  Key       ${apiKey}
  Log       ${stateDir}/accredit.log
Keys that open it (npm run key -- revoke KEY ends one):
${keys.map((line) => `  ${line}`).join('\n')}
Stop it with Ctrl-C; npm start brings it back with everything it knows.`
  // A log is kept and read by many: there the key is named by the file that holds it.
  words.say(text, {
    apiUrl,
    ledgerUrl,
    apiKeyFile: join(stateDir, 'keys', 'api-key'),
    log: join(stateDir, 'accredit.log'),
  })
}
