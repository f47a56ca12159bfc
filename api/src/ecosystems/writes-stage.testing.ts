import type { TestTeam, Written } from '../platform/testing/scratch-database.js'
import { PausedService, type Row } from './writes.testing.js'

export const [one, two, three] = ['https://schema.example/1', 'https://schema.example/2', 'https://schema.example/3']

/** The calls of what is one change of schemas and rights. */
export const METADATA = [['set_schemas_metadata']]

/** A row of the table, and what it takes to see that it holds. */
export interface Case {
  row: Row
  write: () => Promise<Written>
  /** Who signs; undefined: nobody. */
  signer?: () => string
  /** The calls of each dispatch. */
  calls?: string[][]
  /** It answers with a job to wait for instead of what it changed. */
  startsJob?: true
  /** What readers see, as of an instant, or now. */
  look: (at?: string) => Promise<unknown>
  before: unknown
  /** Until its block; by default as before. */
  pending?: unknown
  after: unknown
  /** What they see later of the moment before; by default as it was then. */
  past?: unknown
}

/** One registry on a real ledger, from its creation to its end: who acts in it, and what readers look at. */
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
    await service.settle()
    return new Stage(service, owner, guest, convener, issuer, verifier)
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
}
