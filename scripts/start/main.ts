import { tour } from '../tour/tour.js'
import { forget } from './forget.js'
import { lock } from './lock.js'
import { requireKeptSettings } from './lost-settings.js'
import { asksForHelp, parseOptions, type StartOptions, startUsage } from './options.js'
import { requireFreePort } from './ports.js'
import { messageOf, Refusal } from './refusal.js'
import { loadSettings, type Settings, saveSettings } from './settings.js'
import { type Stack, startStack } from './stack.js'

const LOOK_AROUND_MS = 500

/** Starts everything, shows the tour once, and serves until it is told to stop, or whoever started it is gone. */
export async function main(argv: string[], projectRoot: string, isStarterGone = () => false): Promise<void> {
  if (asksForHelp(argv)) return console.log(startUsage)
  const begun = Date.now()
  try {
    const options = parseOptions(argv, projectRoot, process.env)
    const unlock = await lock(options.stateDir)
    if (options.fresh) await forget(options)
    requireKeptSettings(options.stateDir)
    await serve(options, await loadSettings(options), { unlock, begun, isStarterGone })
  } catch (error) {
    console.error(error instanceof Refusal ? error.message : `Accredit could not start: ${messageOf(error)}`)
    process.exit(1)
  }
}

async function serve(
  options: StartOptions,
  settings: Settings,
  { unlock, begun, isStarterGone }: { unlock(): Promise<void>; begun: number; isStarterGone(): boolean },
): Promise<void> {
  let stack: Stack | undefined
  const starting = new AbortController()
  const stop = async (code: number) => {
    await stack?.stop()
    await unlock()
    process.exit(code)
  }
  const end = (words: string) => {
    if (starting.signal.aborted) return
    starting.abort()
    console.log(words)
    if (stack) void stop(0)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end('Stopping.'))
  setInterval(() => isStarterGone() && end('Whoever started this is gone. Stopping.'), LOOK_AROUND_MS).unref()
  try {
    await requireFreePort(settings.port, '(first start only) choose another port: npm start -- --port N')
    await requireFreePort(settings.ledgerPort, 'choose another port for the ledger: npm start -- --ledger-port N')
    const report = {
      step: (title: string) => console.log(`${title} ...`),
      tell: (sentence: string) => console.log(sentence),
    }
    stack = await startStack(options, settings, report, starting.signal)
  } catch (error) {
    if (!starting.signal.aborted)
      console.error(error instanceof Refusal ? error.message : `Accredit could not start: ${messageOf(error)}`)
    return stop(starting.signal.aborted ? 0 : 1)
  }
  if (starting.signal.aborted) return stop(0)
  console.log(`Ready in ${((Date.now() - begun) / 1000).toFixed(1)} s.\n`)
  // The tour makes things up: nobody wants that on the ledger that counts.
  const isTourWanted = options.tour && options.environment === 'sandbox' && !settings.tourDone
  if (isTourWanted) await showTour(options, settings, stack)
  printAddresses(options, stack)
}

async function showTour(options: StartOptions, settings: Settings, stack: Stack): Promise<void> {
  try {
    await tour(stack, (line) => console.log(line))
    await saveSettings(options.stateDir, { ...settings, tourDone: true })
  } catch (error) {
    console.error(`The tour broke off: ${messageOf(error)}. The service runs on.`)
  }
}

function printAddresses({ stateDir, environment }: StartOptions, { apiUrl, apiKey, keys, ledgerUrl }: Stack): void {
  console.log(`
Accredit (${environment}) is running.
  API       ${apiUrl}          reference: ${apiUrl}/docs
  Ledger    ${ledgerUrl}       (any Substrate tool can connect)
  Key       ${apiKey}
  Log       ${stateDir}/accredit.log
Keys that open it (npm run key -- revoke KEY ends one):
${keys.map((line) => `  ${line}`).join('\n')}
Stop it with Ctrl-C; npm start brings it back with everything it knows.`)
}
