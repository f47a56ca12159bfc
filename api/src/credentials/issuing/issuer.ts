import { sql } from 'kysely'
import { isSigningKey, lacksKey, type SigningKey, signingKey } from '../../dids/did.store.js'
import { isMacKey, macKey } from '../../dids/held-key.store.js'
import type { Algorithm, KeyKind } from '../../formats/credential-format.js'
import type { Reader, Tx } from '../../platform/database/database.js'
import type { Context } from '../../platform/http/context.js'
import { BriefMemory } from '../../platform/process/brief-memory.js'
import { isProfileOf, type Profile, profileOf } from '../../profiles/profile.store.js'
import { findIssuing, isIssuing } from '../../revocation/registry.store.js'
import type { RegistryRow } from '../../status/registry.store.js'
import { isAdded } from './missing-key.js'

type IssuingKey = Omit<SigningKey, 'keyId'>

/** A DID that issues, as it is now. */
export interface Issuer {
  did: string
  key: IssuingKey
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
 * @throws 404 when the DID is unknown or gone, 400 when it has no key that signs, `KeyMissing` when it can be given one
 */
export async function issuerOf(ctx: Context, asked: Asked): Promise<Issuer> {
  if (ctx.isDryRun) return readIssuer(ctx, asked)
  const key = keyOf(ctx, asked)
  const issuer = await issuers.get(key, () => readIssuer(ctx, asked))
  // A registry that is not there, or not yet on the ledger, will be another one soon.
  if (asked.registryType !== undefined && issuer.registry?.status !== 'active') issuers.forget(key)
  return issuer
}

/** Lets an issuer be read again at its next need. */
export const forgetIssuer = (ctx: Context, asked: Asked): void => issuers.forget(keyOf(ctx, asked))

const keyOf = ({ team }: Context, { did, algorithm, registryType }: Asked): string =>
  JSON.stringify([team, did, algorithm.keyKind, registryType])

const readIssuer = ({ db, scope, team }: Context, { did, algorithm, registryType }: Asked): Promise<Issuer> =>
  db.read(scope, async (reader) => {
    const [key, profile, registry] = await Promise.all([
      issuingKey(reader, did, algorithm.keyKind),
      profileOf(reader, did),
      registryType === undefined ? undefined : findIssuing(reader, team, did, registryType),
    ])
    return { did, key: key ?? (await lacksSigningKey(reader, did, algorithm)), profile, registry }
  })

const issuingKey = (reader: Reader, did: string, kind: KeyKind): Promise<IssuingKey | undefined> =>
  kind === 'BBDT16' ? macKey(reader, did) : signingKey(reader, did, kind)

/** The DID has no key of a kind that it gets when it issues with it first. */
export class KeyMissing extends Error {}

async function lacksSigningKey(reader: Reader, did: string, { keyKind }: Algorithm): Promise<never> {
  if (isAdded(keyKind)) throw new KeyMissing(`${did} has no key of kind ${keyKind}`)
  return lacksKey(reader, did, 'sign credentials', 'assertionMethod')
}

const isIssuingKey = (tx: Tx, did: string, kind: KeyKind, keyRef: string) =>
  kind === 'BBDT16' ? isMacKey(tx, did, keyRef) : isSigningKey(tx, did, kind, keyRef)

/**
 * Lets the transaction fail when the issuer is no longer as it was read: its key was rotated, its profile is another
 * one, or its automatic registry takes no more credentials.
 */
export function requireUnchanged(tx: Tx, algorithm: Algorithm, issuer: Issuer, otherwise: Error): void {
  const { did, key, profile, registry } = issuer
  const isOpen = registry?.issuing ? isIssuing(registry.id) : sql<boolean>`true`
  tx.require(
    sql`select where ${isIssuingKey(tx, did, algorithm.keyKind, key.keyRef)} and ${isProfileOf(did, profile)} and ${isOpen}`,
    otherwise,
  )
}
