import type { Did, Hex32, PriceOp } from '@accredit/chain'
import { actingKeyHere } from '../../dids/did.store.js'
import { namedDid } from '../../dids/did-param.js'
import { isVerifier } from '../../ledger/read/participants/rights.js'
import type { ExpectedChange } from '../../ledger/read/registries/expected-change.js'
import { openness } from '../../ledger/read/registries/registry-schemas.js'
import type { StartedJob } from '../../ledger/write/start-job.js'
import { NO_JOB } from '../../ledger/write/wait-for-job.js'
import type { Tx } from '../../platform/database/database.js'
import { invalid, notFound } from '../../platform/errors.js'
import type { Context } from '../../platform/http/context.js'
import { JOB } from '../job-kinds.js'
import { lockSchema } from '../names/schema.store.js'
import { parseSchemaRef } from '../names/schema-ref.js'
import { leaves, opennessWith, pendingChanges, pricesWith } from '../pending/pending-changes.js'
import { presentPoint, type ReadPoint } from '../read-point.js'
import { type Access, visibleRegistry } from '../registries/access.js'
import { registryRef } from '../registries/slug.js'
import { priceCall } from '../registry-calls.js'
import { answerAccepted, startRegistryJob } from '../registry-job.js'
import { waitUntilIndexed } from '../wait-until-indexed.js'
import { CHANGES_MAX, CURRENCIES_MAX, VERIFIERS_MAX } from './price.js'
import { pricedIssuers } from './price.queries.js'
import { type Deal, lockDeals, setDeal } from './verifier-price.store.js'

interface Named {
  registryId: string
  schemaId: string
  currency: string
  issuerDID?: string | undefined
  verifier?: string | undefined
}

/** The price that is named, of a registry that the caller may see. */
interface Place extends Access {
  readonly schema: Hex32
  /** The issuer; undefined: the one of the team's DIDs that issues the schema. */
  readonly did: Did | undefined
  /** Undefined: everybody. */
  readonly verifier: Did | undefined
  readonly currency: string
}

interface Priced extends Place {
  readonly issuer: Did
  readonly isOwnIssuer: boolean
  /** True where the ledger lists the issuer already. */
  readonly isListed: boolean
  /** The prices that it asks of everybody after all pending changes. */
  readonly prices: Record<string, string>
}

const tooMany = () => invalid(`An issuer has prices in at most ${CURRENCIES_MAX} currencies for a schema`)

/**
 * Sets or, with null, removes one price, and waits for it. The issuer's team acts in the issuer's name, the convener's
 * team in the convener's. A price for one verifier is a rule of the service, which the ledger does not know.
 */
export async function changePrice(ctx: Context, named: Named, digits: bigint | null): Promise<Record<string, never>> {
  const place = await placeOf(ctx, named)
  const { registry, schema, verifier, currency } = place
  const job = await ctx.db.transaction(ctx.scope, async (tx) => {
    await (verifier ? lockDeals(tx, registry.id, schema) : lockSchema(tx, registry.id, schema))
    const priced = await pricedIn(tx, ctx, place)
    const started = verifier
      ? await storeDeal(tx, ctx, priced, verifier, digits)
      : await startPrice(tx, ctx, priced, digits)
    await tx.audit({
      action: digits === null ? 'removeSchemaPrice' : 'setSchemaPrice',
      subject: registry.id,
      detail: {
        schema,
        issuer: priced.issuer,
        currency,
        ...(verifier && { verifier }),
      },
      before: { digits: priced.prices[currency] ?? null },
      after: { digits: digits?.toString() ?? null },
    })
    await answerAccepted(tx, ctx, started, {})
    return started
  })
  await waitUntilIndexed(ctx, job)
  return {}
}

async function placeOf(ctx: Context, named: Named): Promise<Place> {
  const { hash: schema } = parseSchemaRef(named.schemaId, 'schemaId')
  const did = named.issuerDID === undefined ? undefined : namedDid(named.issuerDID, 'issuerDID')
  const verifier = named.verifier === undefined ? undefined : namedDid(named.verifier, 'verifier')
  const access = await visibleRegistry(ctx, registryRef(named.registryId), await presentPoint(ctx))
  return { ...access, schema, did, verifier, currency: named.currency }
}

/**
 * Reads the price behind the lock, with all pending changes. Throws 404 for a price that does not exist or that the
 * caller may not set, and 400 where the issuer is ambiguous.
 */
async function pricedIn(tx: Tx, ctx: Context, place: Place): Promise<Priced> {
  const { registry, schema, verifier } = place
  const point = await presentPoint(ctx)
  const changes = await pendingChanges(tx, registry.id, point, { schema })
  const isOpen = opennessWith(await openness(tx, point, registry.id, schema), schema, changes)
  if (isOpen === undefined) throw notFound('Schema')
  if (isOpen) throw invalid('Anyone may verify this schema: a public schema cannot be priced')
  const priced = await issuerIn(tx, ctx, place, point, changes)
  if (
    verifier &&
    (leaves(verifier, schema, changes) || !(await isVerifier(tx, point, { registry: registry.id, schema }, verifier)))
  )
    throw invalid('verifier is not named as a verifier of this schema')
  return priced
}

async function issuerIn(
  tx: Tx,
  ctx: Context,
  place: Place,
  point: ReadPoint,
  changes: readonly ExpectedChange[],
): Promise<Priced> {
  const { registry, schema, did, standing } = place
  const changing = changes.flatMap((change) =>
    'did' in change && 'schema' in change && change.schema === schema ? change.did : [],
  )
  const whose = { team: ctx.team, did, changing: [...new Set(changing)] }
  const found = await pricedIssuers(tx, point, { registry: registry.id, schema }, whose)
  const [issuer, another] = found.flatMap((row) => {
    const prices = pricesWith(row.prices ?? undefined, { schema, did: row.did }, changes)
    return prices ? [{ issuer: row.did, isOwnIssuer: row.isOwn, isListed: row.prices !== null, prices }] : []
  })
  if (another) throw invalid('issuerDID is missing: more than one DID of yours issues this schema')
  if (issuer === undefined && did === undefined && standing.is_owner)
    throw invalid('issuerDID is missing: no DID of yours issues this schema')
  if (issuer === undefined || !(issuer.isOwnIssuer || standing.is_owner)) throw notFound('Issuer')
  return { ...place, ...issuer }
}

const REFUSALS = {
  currencies: tooMany,
  verifiers: () => invalid(`An issuer has prices for at most ${VERIFIERS_MAX} verifiers of a schema`),
  changes: () => invalid(`The price for one verifier changes at most ${CHANGES_MAX} times in a day`),
  absent: () => notFound('Price'),
}

async function storeDeal(
  tx: Tx,
  ctx: Context,
  { registry, schema, issuer, isListed, currency }: Priced,
  verifier: Did,
  digits: bigint | null,
): Promise<StartedJob> {
  // The price begins at once, and so needs an issuer that exists.
  if (!isListed) throw notFound('Issuer')
  const deal: Deal = { registry_id: registry.id, schema_id: schema, issuer, verifier, currency }
  const outcome = await setDeal(tx, ctx.team, deal, digits, ctx.clock.now())
  if (outcome !== 'done') throw REFUSALS[outcome]()
  return NO_JOB
}

async function startPrice(tx: Tx, ctx: Context, priced: Priced, digits: bigint | null): Promise<StartedJob> {
  const { registry, schema, issuer, prices, currency } = priced
  const isPriced = Object.hasOwn(prices, currency)
  if (digits === null && !isPriced) throw notFound('Price')
  if (digits !== null && !isPriced && Object.keys(prices).length >= CURRENCIES_MAX) throw tooMany()
  const op: PriceOp = digits === null ? 'Remove' : { Set: digits }
  return startRegistryJob(tx, ctx, {
    kind: JOB.price,
    registryId: registry.id,
    actor: await signerOf(tx, priced),
    // The price is written also where a pending change would set it: that one may still be refused.
    calls: [priceCall(registry.id, schema, issuer, currency, op)],
    data: { did: issuer },
  })
}

/**
 * Returns the DID that signs: the issuer where its key is here, else the convener where the caller is it. The convener
 * also signs for a pending issuer: only actions of one DID stay in order.
 */
async function signerOf(tx: Tx, { registry, standing, issuer, isOwnIssuer, isListed }: Priced): Promise<Did> {
  if (standing.is_owner && !isListed) return registry.convener
  if (isOwnIssuer && (await actingKeyHere(tx, issuer))) return issuer
  if (standing.is_owner) return registry.convener
  throw invalid(
    'The issuer keeps its own key: it sets its prices itself, with TrustRegistry.set_schemas_metadata at POST /ledger/actions/prepare',
  )
}
