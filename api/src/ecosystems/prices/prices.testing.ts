import { type Did, type Hex32, schemaId } from '@accredit/chain'
import { beforeEach } from 'vitest'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import type { TestTeam } from '../../platform/testing/scratch-database.js'
import { TestEcosystems } from '../testing.js'

/** A schema that anyone may verify, in every place. */
export const OPEN_SCHEMA = 'https://schema.example/Open.json'

/** A registry with a schema that a guest's DID issues and one of the convener's team verifies. */
interface Place {
  owner: TestTeam
  convener: Did
  registry: Hex32
  degree: string
  guest: TestTeam
  issuer: Did
  verifier: Did
}

async function newPlace(world: TestEcosystems): Promise<Place> {
  const owner = await world.team()
  const degree = `https://schema.example/Degree-${owner.team}.json`
  const convener = await world.organisation(owner, 'Council')
  const registry = await world.registry(owner, convener, `Registry ${owner.team}`)
  const guest = await world.team()
  const issuer = await world.organisation(guest, 'University of Oxford')
  const verifier = await world.organisation(owner, 'Employer')
  const accepted = await world.accept(owner, guest, registry, issuer, { issuerSchemas: [degree] })
  await world.include(accepted.job, async (block) => {
    await world.schema(registry, degree, block)
    await world.schema(registry, OPEN_SCHEMA, block, true)
    await world.issuer(registry, degree, issuer, block)
    await world.verifier(registry, degree, verifier, block)
  })
  return { owner, convener, registry, degree, guest, issuer, verifier }
}

/** The prices of a new place for each test, and the questions that tests ask about them. */
export function priceTests() {
  const world = forAllTests(() => TestEcosystems.open({ VENDOR_FEE_MIN: '100' }))
  let place: Place | undefined
  beforeEach(async () => {
    place = await newPlace(world())
  })
  const here = (): Place => {
    if (place === undefined) throw new Error('there is a place while a test runs')
    return place
  }
  const path = (schema = here().degree) => `/trust-registries/${here().registry}/schemas/${encodeURIComponent(schema)}`
  return {
    world,
    here,
    path,
    price: (by: TestTeam, body: object, schema?: string) => world().call(by, 'POST', `${path(schema)}/price`, body),
    unprice: (by: TestTeam, query: string) => world().call(by, 'DELETE', `${path()}/price?${query}`),
    async pricesOf(by: TestTeam, at = '') {
      const { registry, degree } = here()
      const { body } = await world().call(by, 'GET', `/trust-registries/${registry}/schemas?${at}`)
      return body.list.find(({ id }: { id: string }) => id === degree).prices
    },
    async anywhere(by: TestTeam, query = '') {
      const ids = encodeURIComponent(here().degree)
      return (await world().call(by, 'GET', `/trust-registries/schema-prices?ids=${ids}${query}`)).body[0].prices
    },
    /** The ledger takes the issuer's prices. */
    async repriced(job: string | undefined, prices: Record<string, string>): Promise<number> {
      const { registry, degree, issuer } = here()
      return world().include(job, async (block) => {
        await world().endIssuer(registry, issuer, block)
        const place = { registry_id: registry, schema_id: schemaId(degree), did: issuer }
        await world().ledger.row('issuer', { ...place, prices, from_block: block, to_block: null })
      })
    },
  }
}
