import { randomUUID } from 'node:crypto'
import { persistently } from '../../support/kills.js'
import type { Answer, Request } from '../../support/requests.js'
import type { SeededRandom } from '../random-ledger/seeded-random.js'
import { ALL_FORMS, type Form, placeIn, requestFor } from './forms.js'

type Action = 'revoke' | 'unrevoke'

/** A credential, as the sequence of what its writer asked for leaves it. */
export interface Known {
  id: string
  form: Form
  registry: string
  /** undefined: it was never issued, and only the service knows its place. */
  index: number | undefined
  /** The credential itself, where there is one. */
  credential: unknown
  isRevoked: boolean
  /** The number of times that its status changed. */
  flips: number
}

/** The credentials that every writer changes: nobody knows who is last. */
export type Shared = readonly Known[]

/** Tells whether an answer is the service's last word: it may be starting, at its limits, or still at the first attempt. */
const isFinal = ({ status, body }: Answer): boolean =>
  status < 500 && status !== 429 && body?.type !== 'idempotency_in_progress'

/**
 * Writes one request after the other, and does not wait for their jobs. It alone changes its credentials, so that it
 * knows how they must end.
 */
export class Writer {
  readonly known: Known[] = []
  /** The jobs that it started. */
  readonly jobs: string[] = []
  #made = 0

  constructor(
    readonly name: string,
    private readonly request: Request,
    private readonly issuer: string,
    private readonly random: SeededRandom,
    private readonly shared: Shared,
  ) {}

  /** Does one thing, drawn at random. */
  async step(): Promise<void> {
    const draw = this.random.below(100)
    if (draw < 45) await this.changeOne(this.random.of(this.known))
    else if (draw < 60) await this.issue(this.random.of(ALL_FORMS))
    else if (draw < 75) await this.revokeMany()
    else if (draw < 90) await this.changeInRegistry()
    else if (draw < 95) await this.issueMany()
    else await this.contend()
  }

  async issue(form: Form = 'statusList'): Promise<Known> {
    const id = this.#newId()
    return this.#learn(id, form, await this.#ask('POST', '/credentials', requestFor(form, id, this.issuer)))
  }

  private async issueMany(): Promise<void> {
    const forms = Array.from({ length: 1 + this.random.below(4) }, () => this.random.of(ALL_FORMS) ?? 'statusList')
    const rows = forms.map((form) => ({ form, id: this.#newId() }))
    const requests = rows.map(({ form, id }) => requestFor(form, id, this.issuer))
    const job = await this.#started('/credentials/batch', { rows: requests })
    await ended(this.request, job)
    const result = await this.#ask('GET', `/credentials/batch/${job}/result`)
    const lines =
      typeof result === 'string'
        ? result
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line))
        : [result]
    if (lines.length !== rows.length) throw new Error(`${rows.length} rows have ${lines.length} answers`)
    for (const [at, { form, id }] of rows.entries()) {
      const { credential, error } = lines[at]
      if (credential === undefined) throw new Error(`a row was refused: ${JSON.stringify(error)}`)
      this.#learn(id, form, credential)
    }
  }

  private async changeOne(one: Known | undefined): Promise<void> {
    if (one === undefined || one.index === undefined) return
    const action = this.#action()
    await this.#started(`/credentials/${encodeURIComponent(one.id)}/${action}`)
    change(one, action)
  }

  private async revokeMany(): Promise<void> {
    const some = this.random.some(this.#issued(), 5)
    if (some.length === 0) return
    await this.#started('/credentials/batch/revoke', { credentialIds: some.map(({ id }) => id) }, ({ refused }) => {
      if (refused.length > 0) throw new Error(`refused: ${JSON.stringify(refused)}`)
    })
    for (const one of some) change(one, 'revoke')
  }

  /** Changes several in one registry, among them an id that was never issued. */
  private async changeInRegistry(): Promise<void> {
    const first = this.random.of(this.known)
    if (first === undefined) return
    const others = this.known.filter(({ registry }) => registry === first.registry)
    const some = new Set([first, ...this.random.some(others, 4)])
    if (this.random.chance(0.3)) some.add(this.#neverIssued(first))
    const action = this.#action()
    const credentialIds = [...some].map(({ id }) => id)
    await this.#started(`/registries/${first.registry}`, { action, credentialIds })
    for (const one of some) change(one, action)
  }

  private async contend(): Promise<void> {
    const one = this.random.of(this.shared)
    if (one !== undefined) await this.#started(`/credentials/${encodeURIComponent(one.id)}/${this.#action()}`)
  }

  #action(): Action {
    return this.random.chance(0.6) ? 'revoke' : 'unrevoke'
  }

  #issued(): Known[] {
    return this.known.filter(({ index }) => index !== undefined)
  }

  #newId(): string {
    this.#made += 1
    return `urn:${this.name}:${this.#made}`
  }

  #neverIssued({ form, registry }: Known): Known {
    const one = {
      id: this.#newId(),
      form,
      registry,
      index: undefined,
      credential: undefined,
      isRevoked: false,
      flips: 0,
    }
    this.known.push(one)
    return one
  }

  #learn(id: string, form: Form, credential: unknown): Known {
    const one = { id, form, ...placeIn(credential), credential, isRevoked: false, flips: 0 }
    this.known.push(one)
    return one
  }

  async #started(
    path: string,
    body?: unknown,
    look: (data: { refused: readonly unknown[] }) => void = () => undefined,
  ): Promise<string> {
    const answer = await this.#ask('POST', path, body)
    const { id, data } = Object(answer)
    look(data)
    if (id !== '0') this.jobs.push(id)
    return id
  }

  /** One key for all attempts: whatever is killed meanwhile, it is done once. */
  async #ask(method: string, path: string, body?: unknown): Promise<unknown> {
    const headers = method === 'GET' ? { accept: '*/*' } : { 'idempotency-key': randomUUID() }
    const answer = await persistently(async () => {
      const one = await this.request(method, path, body, headers)
      return isFinal(one) ? one : undefined
    })
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
}

function change(one: Known, action: Action): void {
  if (one.isRevoked === (action === 'revoke')) return
  one.isRevoked = !one.isRevoked
  one.flips += 1
}

/** Waits for the end of a job. @throws where it ends badly */
export async function ended(request: Request, job: string): Promise<void> {
  const { body } = await persistently(async () => {
    const answer = await request('GET', `/jobs/${job}`)
    return answer.status === 200 && ['finalized', 'error'].includes(answer.body.status) ? answer : undefined
  })
  if (body.status !== 'finalized') throw new Error(`job ${job} ended with ${JSON.stringify(body)}`)
}
