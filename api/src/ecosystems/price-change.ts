import type { Did, Hex32, PriceOp } from '@accredit/chain'
import { actingKeyHere } from '../dids/did.store.js'
import type { StartedJob } from '../ledger/start-job.js'
import { NO_JOB } from '../ledger/wait-for-job.js'
import type { Context } from '../platform/context.js'
import type { Tx } from '../platform/database/database.js'
import { invalid, notFound } from '../platform/errors.js'
import { type Access, visibleRegistry } from './access.js'
import { didParam } from './did-param.js'
import { JOB } from './ecosystems.jobs.js'
import { CURRENCIES_MAX } from './price.js'
import { type IssuerOfSchema, isVerifier, pricedIssuers } from './price.queries.js'
import { presentPoint } from './read-point.js'
import { priceCall } from './registry-calls.js'
import { answerAccepted, startRegistryJob } from './registry-job.js'
import { openness } from './registry-schemas.queries.js'
import { parseSchemaRef } from './schema-ref.js'
import { settle } from './settle.js'
import { registryRef } from './slug.js'
import { type Deal, insertDealPrice, lockDeal } from './verifier-price.store.js'

interface Named {
  registryId: string
  schemaId: string
  currency: string
  issuerDID?: string | undefined
  verifier?: string | undefined
}

interface Priced extends Access {
  readonly schema: Hex32
  readonly issuer: IssuerOfSchema
  readonly isOwnIssuer: boolean
  /** Undefined: everybody. */
  readonly verifier: Did | undefined
  readonly currency: string
}

const tooMany = () => invalid(`An issuer has prices in at most ${CURRENCIES_MAX} currencies for a schema`)

/**
 * Sets or, with null, removes one price, and waits for it. By the issuer's team in its name, or by the convener's in the
 * convener's. A price for one verifier is a rule of the service; the ledger hears nothing of it.
 */
export async function changePrice<T>(ctx: Context, named: Named, digits: bigint | null, answer: T): Promise<T> {
  const priced = await pricedPlace(ctx, named)
  const job = await ctx.db.transaction(ctx.scope, async (tx) => {
    const started = priced.verifier
      ? await storeDeal(tx, ctx, priced, priced.verifier, digits)
      : await startPrice(tx, ctx, priced, digits)
    const { schema, issuer, verifier, currency } = priced
    await tx.audit({
      action: digits === null ? 'removeSchemaPrice' : 'setSchemaPrice',
      subject: priced.registry.id,
      detail: {
        schema,
        issuer: issuer.did,
        currency,
        digits: digits?.toString() ?? null,
        ...(verifier && { verifier }),
      },
    })
    await answerAccepted(tx, ctx, started, answer)
    return started
  })
  await settle(ctx, job)
  return answer
}

/** Throws 404 for what is not there or not the caller's to price, and 400 where it must say more. */
async function pricedPlace(ctx: Context, named: Named): Promise<Priced> {
  const { hash: schema } = parseSchemaRef(named.schemaId, 'schemaId')
  const did = named.issuerDID === undefined ? undefined : didParam(named.issuerDID, 'issuerDID')
  const verifier = named.verifier === undefined ? undefined : didParam(named.verifier, 'verifier')
  const access = await visibleRegistry(ctx, registryRef(named.registryId), await presentPoint(ctx))
  const { point, registry, standing } = access
  const place = { registry: registry.id, schema }
  return ctx.db.read(ctx.scope, async (reader) => {
    const isOpen = await openness(reader, point, registry.id, schema)
    if (isOpen === undefined) throw notFound('Schema')
    if (isOpen) throw invalid('Anyone may verify this schema: a public schema cannot be priced')
    const [issuer, another] = await pricedIssuers(reader, point, place, { team: ctx.team, did })
    if (another) throw invalid('issuerDID is missing: more than one DID of yours issues this schema')
    if (issuer === undefined && did === undefined && standing.is_owner)
      throw invalid('issuerDID is missing: no DID of yours issues this schema')
    if (issuer === undefined || !(issuer.isOwn || standing.is_owner)) throw notFound('Issuer')
    if (verifier && !(await isVerifier(reader, point, place, verifier)))
      throw invalid('verifier is not named as a verifier of this schema')
    return { ...access, schema, issuer, isOwnIssuer: issuer.isOwn, verifier, currency: named.currency }
  })
}

async function storeDeal(
  tx: Tx,
  ctx: Context,
  { registry, schema, issuer, currency }: Priced,
  verifier: Did,
  digits: bigint | null,
): Promise<StartedJob> {
  const deal: Deal = { registry_id: registry.id, schema_id: schema, issuer: issuer.did, verifier }
  const present = await lockDeal(tx, deal)
  if (digits === null && !present.has(currency)) throw notFound('Price')
  if (digits !== null && !present.has(currency) && present.size >= CURRENCIES_MAX) throw tooMany()
  await insertDealPrice(tx, deal, { currency, digits, team_id: ctx.team, time: ctx.clock.now() })
  return NO_JOB
}

async function startPrice(tx: Tx, ctx: Context, priced: Priced, digits: bigint | null): Promise<StartedJob> {
  const { registry, schema, issuer, currency } = priced
  const isPriced = Object.hasOwn(issuer.prices, currency)
  if (digits === null && !isPriced) throw notFound('Price')
  if (digits !== null && !isPriced && Object.keys(issuer.prices).length >= CURRENCIES_MAX) throw tooMany()
  const op: PriceOp = digits === null ? 'Remove' : { Set: digits }
  return startRegistryJob(tx, ctx, {
    kind: JOB.price,
    registryId: registry.id,
    actor: await signerOf(tx, priced),
    // Also where the index shows this price already: it lags, and another one may be on its way.
    calls: [priceCall(registry.id, schema, issuer.did, currency, op)],
    data: { did: issuer.did },
  })
}

/** The issuer where its key is here, else the convener where the caller is it. */
async function signerOf(tx: Tx, { registry, standing, issuer, isOwnIssuer }: Priced): Promise<Did> {
  if (isOwnIssuer && (await actingKeyHere(tx, issuer.did))) return issuer.did
  if (standing.is_owner) return registry.convener
  throw invalid(
    'The issuer keeps its own key: it sets its prices itself, with TrustRegistry.set_schemas_metadata at POST /ledger/actions/prepare',
  )
}
