import { persistently } from './kills.js'
import type { Answer, Request } from './requests.js'

interface Started {
  did: string
  job: string
}

/**
 * A client that goes on whatever happens: a request without a good answer is sent again with its idempotency key. Every
 * second thing that it makes is a DID; the others are credentials, each revoked at once.
 */
export class SteadyLoad {
  readonly dids: Started[] = []
  /** Their ids, with the jobs that revoke them. */
  readonly revoked: { id: string; job: string }[] = []
  private isOver = false
  private made = 0
  private readonly lanes: Promise<void>[]

  constructor(
    private readonly request: Request,
    private readonly issuer: string,
    private readonly registry: string,
    width: number,
  ) {
    this.lanes = Array.from({ length: width }, () => this.lane())
  }

  /** Ends when each thing that was begun is accepted. */
  async stop(): Promise<void> {
    this.isOver = true
    await Promise.all(this.lanes)
  }

  private async lane(): Promise<void> {
    while (!this.isOver) {
      const number = this.made++
      await (number % 2 === 0 ? this.makeDid(number) : this.issueAndRevoke(number))
    }
  }

  private async makeDid(number: number): Promise<void> {
    const { body } = await this.accepted(number, '/dids', {})
    this.dids.push({ did: body.did, job: body.id })
  }

  private async issueAndRevoke(number: number): Promise<void> {
    const id = `urn:load:${number}`
    const credential = { id, issuer: this.issuer, subject: { number }, status: this.registry }
    await this.accepted(number, '/credentials', { credential })
    const { body } = await this.accepted(number, `/credentials/${encodeURIComponent(id)}/revoke`, undefined)
    this.revoked.push({ id, job: body.id })
  }

  private accepted(number: number, path: string, body: unknown): Promise<Answer> {
    const headers = { 'idempotency-key': `load-${number}-${path.split('/').at(-1)}` }
    return persistently(async () => {
      const answer = await this.request('POST', path, body, headers)
      return answer.status === 200 ? answer : undefined
    })
  }
}
