import { expect } from 'vitest'
import type { Written } from '../platform/testing/answered.js'
import type { TestTeam } from '../platform/testing/scratch-database.js'
import { TEXTS } from './testing.js'
import { namedIn, operationsIn, PausedService, type Row } from './writes.testing.js'

export const [one, two, three] = ['https://schema.example/1', 'https://schema.example/2', 'https://schema.example/3']

/** The calls of one change of schemas and rights. */
export const METADATA = [['set_schemas_metadata']]

/** A row of the table, with the requests that check it. */
export interface Case {
  row: Row
  write: () => Promise<Written>
  /** The DID that signs; undefined: none. */
  signer?: () => string
  /** The calls of each dispatch. */
  calls?: string[][]
  /** True where it answers with a job to wait for instead of the changed thing. */
  startsJob?: true
  /** Reads the view of readers, as of an instant, or now. */
  look: (at?: string) => Promise<unknown>
  before: unknown
  /** The view until its block; by default the one before. */
  pending?: unknown
  after: unknown
  /** The later view of the moment before; by default the one of then. */
  past?: unknown
}

/** One registry on a real ledger, from its creation to its end, with its actors and its readers' views. */
export class Stage {
  url = ''
  readonly tokens: string[] = []
  private readonly participants = new Map<string, string>()

  private constructor(
    readonly service: PausedService,
    readonly owner: TestTeam,
    readonly guest: TestTeam,
    readonly convener: string,
    readonly issuer: string,
    readonly verifier: string,
  ) {}

  static async open(): Promise<Stage> {
    const service = await PausedService.open()
    const [owner, guest] = [await service.team(), await service.team()]
    const convener = await service.organisation(owner, 'Council')
    const issuer = await service.organisation(guest, 'University of Oxford')
    const verifier = await service.organisation(guest, 'Employer')
    await service.untilDone()
    return new Stage(service, owner, guest, convener, issuer, verifier)
  }

  /** A registry with an issuer, a verifier, and an invitation that nobody took. */
  async found(): Promise<void> {
    const wish = { convener: this.convener, name: 'Kenya', ...TEXTS }
    const created = await this.by(this.owner, 'POST', '/trust-registries', wish)
    this.url = `/trust-registries/${created.body.id}`
    await this.service.untilDone()
    await this.accept(this.issuer, { issuerSchemas: [one, two] })
    await this.accept(this.verifier, { verifierSchemas: [one] })
    await this.invite({})
    await this.service.untilDone()
  }

  byConvener = () => this.convener

  by = (team: TestTeam | undefined, method: string, path: string, body?: object) =>
    this.service.call(team, method, path, body)

  get = (team: TestTeam | undefined, path: string, at?: string) =>
    this.by(
      team,
      'GET',
      at === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}at=${encodeURIComponent(at)}`,
    )

  ofSchema = (schema: string) => `${this.url}/schemas/${encodeURIComponent(schema)}`
  participant = (did: string) => `${this.url}/participants/${this.participants.get(did)}`

  publicly = async (at?: string) => {
    const { body } = await this.get(undefined, `${this.url}/public`, at)
    return [body.name, body.slug, body.governanceFramework, body.description]
  }

  total = async (at?: string) => (await this.get(this.owner, `${this.url}/participants`, at)).body.total

  right = (did: string) => async (at?: string) => {
    const { body } = await this.get(this.owner, this.participant(did), at)
    return [body.issuerSchemas, body.verifierSchemas, body.status, body.infoUrl]
  }

  schemas = async (at?: string) => {
    const { body } = await this.get(this.owner, `${this.url}/schemas`, at)
    return Object.fromEntries(body.list.map((row: { id: string; public: boolean }) => [row.id, row.public]))
  }

  prices = async (at?: string) => {
    const { body } = await this.get(this.guest, `/trust-registries/schema-prices?ids=${encodeURIComponent(one)}`, at)
    return body[0].prices.map((row: { digits: string; verifier?: string }) => [row.digits, row.verifier])
  }

  canTake = (token: () => string | undefined) => async () =>
    (await this.by(this.guest, 'POST', '/trust-registries/invitations/snooze', { token: token() })).status

  async invite(schemas: object): Promise<Written> {
    const invited = await this.by(this.owner, 'POST', `${this.url}/participants`, schemas)
    this.tokens.push(String(invited.body.link).split('?token=')[1] ?? '')
    return invited
  }

  async accept(did: string, schemas: object): Promise<Written> {
    await this.invite(schemas)
    const body = { token: this.tokens.at(-1), did, infoUrl: '' }
    const accepted = await this.by(this.guest, 'POST', '/trust-registries/invitations/accept', body)
    this.participants.set(did, accepted.body.id)
    return accepted
  }

  /** Does what a row tells, and checks the calls, their signers, and the readers' views before, meanwhile and after. */
  async expectAsWritten(wanted: Case): Promise<void> {
    const [, call, signs] = wanted.row
    const [height, then] = [await this.service.height(), new Date().toISOString()]
    expect(await wanted.look()).toEqual(wanted.before)

    const answer = await wanted.write()
    const { calls = [], signer } = wanted
    expect([answer.status, answer.pending, answer.job === undefined || answer.job === '0']).toEqual([
      200,
      calls.length > 0 && !wanted.startsJob,
      calls.length === 0,
    ])
    const parts = await this.service.parts(answer.job)
    expect(parts.map(({ calls: named }) => named.map(({ name }) => name))).toEqual(calls)
    const named = namedIn(call)
    expect(new Set(named.operations)).toEqual(new Set(parts.flatMap((part) => part.calls.flatMap(operationsIn))))
    for (const name of calls.flat()) expect(named.calls).toContain(name)
    expect([signs === '', call.startsWith('none')]).toEqual([signer === undefined, calls.length === 0])

    const isPending = calls.length > 0
    expect(await wanted.look()).toEqual(isPending ? (wanted.pending ?? wanted.before) : wanted.after)
    await this.service.untilDone()
    expect(await wanted.look()).toEqual(wanted.after)
    expect(await wanted.look(then)).toEqual(wanted.past ?? wanted.before)
    const dispatched = parts.map(({ callHash }) => ({ did: signer?.(), callHash }))
    expect(await this.service.dispatchedAfter(height)).toEqual(dispatched)
  }
}
