import { createServer } from 'node:net'
import { codeOf, Refusal } from '../refusal.js'

/** These lie below the ports that the system gives to connections and to programs that ask for any port. */
const CHOSEN = { from: 10_240, count: 20_480 }
/** Processes that start at the same time have numbers near to each other. */
const OF_A_PROCESS = 16
let asked = 0

/**
 * Finds a port that nobody listens on now, and that nobody gets by chance until it is used. get-port would give the
 * same one to processes that start at the same time, and does not tell why a port that is needed cannot be opened.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < CHOSEN.count; tries += 1) {
    const port = CHOSEN.from + ((process.pid * OF_A_PROCESS + asked++) % CHOSEN.count)
    if ((await failureToListen(port)) === undefined) return port
  }
  throw new Refusal('There is no free port.')
}

/** Refuses, before anything is started, a port that another program listens on. */
export async function requireFreePort(port: number, advice: string): Promise<void> {
  const failure = await failureToListen(port)
  if (failure === 'EADDRINUSE') throw new Refusal(`Port ${port} is taken by another program. Stop it, or ${advice}`)
  if (failure !== undefined) throw new Refusal(`Port ${port} cannot be opened: ${failure}.`)
}

/** Returns the reason for which a port cannot be listened on now; undefined where it can. */
function failureToListen(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error) => resolve(codeOf(error)))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(undefined)))
  })
}
