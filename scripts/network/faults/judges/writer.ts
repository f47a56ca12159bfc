import { Refusal } from '../../../start/refusal.js'
import { buildersOn, type Degree, type Verification } from '../../../tour/builders.js'
import { type Client, each } from '../../../tour/client.js'
import { pause } from '../../interruption.js'
import { accepted, finalJob, PATIENCE_MS, type Served } from '../requests.js'
import { authorizationPath, isRevoked } from './ecosystem.js'
import { requireGrowth, type Totals, totalsOf } from './totals.js'

const EVERY_MS = 1_000
const WIDTH = 8

/** A registry that is written to: its one participant is suspended and admitted in turn. */
export interface Ground {
  registry: string
  schema: string
  member: string
  participant: string
  /** The number of times that the participant was suspended, and admitted again. */
  suspensions: number
  admissions: number
}

export async function makeGround(client: Client): Promise<Ground> {
  const make = buildersOn(client)
  const [convener, member, schema] = await Promise.all([
    make.organisation('Council of Academies'),
    make.organisation('Academy'),
    make.schema(),
  ])
  const registry = await make.registry(convener, 'Certificates')
  const { id } = await make.accredit(registry, member, [schema])
  return { registry, schema, member, participant: id, suspensions: 0, admissions: 0 }
}

interface Written {
  did: string
  id: string
}

interface Issued {
  degree: Degree
  /** The job that revokes it; undefined: it is not revoked. */
  job: string | undefined
}

/**
 * Writes DIDs, degrees, revocations, suspensions and admissions through the product, and then looks whether everything
 * that was accepted is final exactly once.
 */
export class Writer {
  private isOver = false
  private readonly dids: Written[] = []
  private readonly issued: Issued[] = []
  private changes = 0
  private before: Totals | undefined
  private lanes: Promise<unknown> | undefined

  constructor(
    private readonly product: Served,
    private readonly ground: Ground,
  ) {}

  async begin(): Promise<void> {
    this.before = await totalsOf(this.product)
    this.lanes = Promise.all([this.makeDids(), this.issueDegrees(), this.changeParticipant()])
    // A lane's failure is told at the end.
    this.lanes.catch(() => {})
  }

  /** Ends it, and returns how much was written. Throws where something is lost or doubled. */
  async end(): Promise<string> {
    this.isOver = true
    await this.lanes
    await each(this.dids, WIDTH, (written) => this.requireOnce(written))
    await each(this.issued, WIDTH, (issued) => this.requireStatus(issued))
    await this.requireChanges()
    const revoked = this.issued.filter(({ job }) => job !== undefined).length
    await this.requireTotals(revoked)
    return `${this.dids.length} DIDs, ${revoked} of ${this.issued.length} degrees revoked and ${this.changes} changes of a registry, each final once`
  }

  private async makeDids(): Promise<void> {
    for (; !this.isOver; await pause(EVERY_MS))
      for (let n = 0; n < 2; n += 1) this.dids.push(await this.ask<Written>('POST', '/dids', {}))
  }

  private async issueDegrees(): Promise<void> {
    for (let n = 0; !this.isOver; n += 1, await pause(EVERY_MS)) {
      const { schema, member: issuer } = this.ground
      const degree = await this.ask<Degree>('POST', '/credentials', {
        revocable: true,
        credential: {
          type: ['UniversityDegreeCredential'],
          schema,
          issuer,
          subject: { degree: `M.Sc. ${n}`, graduate: 'A' },
        },
      })
      const revoke = `/credentials/${encodeURIComponent(degree.id)}/revoke`
      const job = n % 2 === 0 ? undefined : (await this.ask<{ id: string }>('POST', revoke)).id
      this.issued.push({ degree, job })
    }
  }

  private async changeParticipant(): Promise<void> {
    const { registry, participant } = this.ground
    for (; !this.isOver; await pause(EVERY_MS)) {
      const isAdmitted = this.ground.suspensions === this.ground.admissions
      const status = isAdmitted ? 'suspended' : 'active'
      await this.ask('PATCH', `/trust-registries/${registry}/participants/${participant}`, { status })
      this.ground[isAdmitted ? 'suspensions' : 'admissions'] += 1
      this.changes += 1
      await this.untilTold(!isAdmitted)
    }
  }

  /** Waits until the product tells that the participant is authorised, or is not. */
  private async untilTold(isAuthorized: boolean): Promise<void> {
    const path = authorizationPath(this.ground, this.ground.member)
    const deadline = Date.now() + PATIENCE_MS
    while ((await this.ask<{ authorized: boolean }>('GET', path)).authorized !== isAuthorized) {
      if (Date.now() > deadline)
        throw new Refusal(`The change of a participant was not told in ${PATIENCE_MS / 1000} s.`)
      await pause(EVERY_MS)
    }
  }

  private async requireOnce({ did, id }: Written): Promise<void> {
    await finalJob(this.product, id)
    const { total } = await this.ask<{ total: number }>('GET', `/dids/${did}/history?event=Did.Created`)
    if (total !== 1) throw new Refusal(`${did} was created ${total} times.`)
  }

  private async requireStatus({ degree, job }: Issued): Promise<void> {
    if (job !== undefined) await finalJob(this.product, job)
    const answer = await this.ask<Verification>('POST', '/verify', degree)
    if (job === undefined ? !answer.verified : !isRevoked(answer))
      throw new Refusal(
        `${degree.id} is ${job === undefined ? 'not verified' : 'not revoked'}: ${JSON.stringify(answer)}`,
      )
  }

  private async requireChanges(): Promise<void> {
    const { registry, suspensions, admissions } = this.ground
    for (const [event, count] of [
      ['IssuerSuspended', suspensions],
      ['IssuerUnsuspended', admissions],
    ] as const) {
      const path = `/trust-registries/${registry}/history?event=TrustRegistry.${event}`
      const { total } = await this.ask<{ total: number }>('GET', path)
      if (total !== count) throw new Refusal(`${count} ${event} were accepted, and the history has ${total}.`)
    }
  }

  /** Refuses what nobody was told of: a request that was stored at its first try and at a later one. */
  private async requireTotals(revoked: number): Promise<void> {
    if (this.before === undefined) throw new Error('the writer has not begun')
    requireGrowth(this.before, await totalsOf(this.product), {
      DIDs: this.dids.length,
      'jobs that make a DID': this.dids.length,
      credentials: this.issued.length,
      'jobs that revoke': revoked,
      'jobs that change a participant': this.changes,
    })
  }

  private ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    return accepted(this.product, method, path, body)
  }
}
