import { Agent, request as httpRequest } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

const KINDS = ['read', 'issue', 'verify', 'did'] as const
/** The time that a failure counts as. */
const WITHIN_MS = 30_000

export type Kind = (typeof KINDS)[number]
export type Times = Record<Kind, number[]>

export interface Innocent {
  /** Sends one request; returns its answer, which must be 200. */
  call<T>(method: string, path: string, body?: unknown): Promise<T>
  /** Does everything for a while, in four lanes of one request after the other; returns the time that each took. */
  live(seconds: number): Promise<Times>
}

/** A client of another team that comes from another address, and asks for little. */
export async function innocent(apiUrl: string, apiKey: string, localAddress: string): Promise<Innocent> {
  const agent = new Agent({ keepAlive: true, localAddress })
  const call = <T>(method: string, path: string, body?: unknown): Promise<T> =>
    new Promise((resolve, reject) => {
      const headers = { 'svc-api-token': apiKey, 'content-type': 'application/json' }
      const sending = httpRequest(apiUrl + path, { agent, method, headers }, (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (chunk) => (text += chunk))
        answer.once('end', () => {
          if (answer.statusCode === 200) resolve(JSON.parse(text || 'null'))
          else reject(new Error(`${method} ${path}: ${answer.statusCode} ${text.slice(0, 300)}`))
        })
      })
      sending.setTimeout(WITHIN_MS, () => sending.destroy(new Error(`${method} ${path}: no answer`)))
      sending.once('error', reject)
      sending.end(body === undefined ? undefined : JSON.stringify(body))
    })
  const works = await prepare(call)
  return { call, live: (seconds) => live(works, seconds) }
}

type Works = Record<Kind, () => Promise<unknown>>

async function prepare(call: Innocent['call']): Promise<Works> {
  const { did } = await call<{ did: string }>('POST', '/dids', {})
  const body = {
    revocable: true,
    credential: {
      type: ['UniversityDegreeCredential'],
      issuer: did,
      subject: { id: 'did:example:graduate', degree: 'M.Sc. Physics', year: 2026 },
    },
  }
  const ofSchemaOrg = { ...body.credential, context: ['https://schema.org'], subject: { name: 'A. Graduate' } }
  // The second takes a thread's time, however short it is.
  const credentials = [
    await call('POST', '/credentials', body),
    await call('POST', '/credentials', { credential: ofSchemaOrg }),
  ]
  let turn = 0
  const verify = async () => {
    const credential = credentials[turn++ % credentials.length]
    const answer = await call<{ verified: boolean }>('POST', '/verify', credential)
    if (!answer.verified) throw new Error(`a good credential was not verified: ${JSON.stringify(answer)}`)
  }
  return {
    read: () => call('GET', `/dids/${did}`),
    issue: () => call('POST', '/credentials', body),
    verify,
    did: () => call('POST', '/dids', {}),
  }
}

async function live(works: Works, seconds: number): Promise<Times> {
  const times: Times = { read: [], issue: [], verify: [], did: [] }
  const ends = performance.now() + seconds * 1000
  const lane = async (first: number): Promise<void> => {
    for (let turn = first; performance.now() < ends; turn++) {
      const kind = KINDS[turn % KINDS.length] ?? 'read'
      const begun = performance.now()
      const failed = await works[kind]().then(
        () => false,
        (error: unknown) => {
          console.error(String(error))
          return true
        },
      )
      times[kind].push(failed ? WITHIN_MS : performance.now() - begun)
      await pause(100)
    }
  }
  await Promise.all(KINDS.map((_, index) => lane(index)))
  return times
}
