import { sql } from 'kysely'
import { isSigningKey, lacksKey, type SigningKey, signingKey } from '../../dids/did.store.js'
import type { Algorithm } from '../../formats/credential-format.js'
import type { Reader, Tx } from '../../platform/database/database.js'
import type { Context } from '../../platform/http/context.js'
import { BriefMemory } from '../../platform/process/brief-memory.js'
import { isProfileOf, type Profile, profileOf } from '../../profiles/profile.store.js'
import { findIssuing, isIssuing } from '../../revocation/registry.store.js'
import type { RegistryRow } from '../../status/registry.store.js'

/** A DID that issues, as it is now. */
export interface Issuer {
  did: string
  key: SigningKey
  profile: Profile | undefined
  /** Its open automatic registry, where one is asked for and there is one. */
  registry: RegistryRow | undefined
}

/** The question about an issuer: the key of an algorithm, and the open registry of a type. */
interface Asked {
  did: string
  algorithm: Algorithm
  registryType: string | undefined
}

const issuers = new BriefMemory<Issuer>(10_000)

/**
 * Returns an issuer of the team as it was at most a second ago: `requireUnchanged` holds it against the present.
 * @throws 404 when the DID is unknown or gone, 400 when it has no key that signs
 */
export async function issuerOf(ctx: Context, asked: Asked): Promise<Issuer> {
  if (ctx.isDryRun) return readIssuer(ctx, asked)
  const key = keyOf(ctx, asked)
  const issuer = await issuers.get(key, () => readIssuer(ctx, asked))
  // A registry that is not there, or not yet on the ledger, will be another one soon.
  if (asked.registryType !== undefined && issuer.registry?.status !== 'active') issuers.forget(key)
  return issuer
}

/** Lets all be read again at their next need. */
export const forgetIssuers = (): void => issuers.clear()

const keyOf = ({ team }: Context, { did, algorithm, registryType }: Asked): string =>
  JSON.stringify([team, did, algorithm.keyKind, registryType])

const readIssuer = ({ db, scope, team }: Context, { did, algorithm, registryType }: Asked): Promise<Issuer> =>
  db.read(scope, async (reader) => {
    const [key, profile, registry] = await Promise.all([
      signingKey(reader, did, algorithm.keyKind),
      profileOf(reader, did),
      registryType === undefined ? undefined : findIssuing(reader, team, did, registryType),
    ])
    return { did, key: key ?? (await lacksSigningKey(reader, did)), profile, registry }
  })

const lacksSigningKey = (reader: Reader, did: string): Promise<never> =>
  lacksKey(reader, did, 'sign credentials', 'assertionMethod')

/**
 * Lets the transaction fail when the issuer is no longer as it was read: its key was rotated, its profile is another
 * one, or its automatic registry takes no more credentials.
 */
export function requireUnchanged(tx: Tx, algorithm: Algorithm, issuer: Issuer, otherwise: Error): void {
  const { did, key, profile, registry } = issuer
  const isOpen = registry?.issuing ? isIssuing(registry.id) : sql<boolean>`true`
  tx.require(
    sql`select where ${isSigningKey(tx, did, algorithm.keyKind, key.keyRef)} and ${isProfileOf(did, profile)} and ${isOpen}`,
    otherwise,
  )
}
