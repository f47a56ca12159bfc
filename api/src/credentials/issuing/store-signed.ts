import type {
  Algorithm,
  Claims,
  Credential,
  CredentialFormat,
  CredentialParts,
} from '../../formats/credential-format.js'
import { asArray, isObject, type Json, textOf } from '../../formats/json.js'
import type { Database, Tx } from '../../platform/database/database.js'
import type { Context } from '../../platform/http/context.js'
import { batchLoaderByPart } from '../../platform/process/batch-loader.js'
import type { DrawnIndex } from '../../status/entries.store.js'
import type { RegistryRow } from '../../status/registry.store.js'
import { revocationIdOf } from '../../status/revocation-id.js'
import type { StatusMethod } from '../../status/status-method.js'
import { CREDENTIAL_EVENTS } from '../credential.events.js'
import { insertCredentials, type NewCredential } from '../credential.store.js'
import { DISTRIBUTION_HEADER, type Recipient } from '../delivery/distribution.js'
import { queueMail } from '../delivery/mail.store.js'
import { type CredentialInput, ownStatuses } from './credential-input.js'
import { type Issuer, requireUnchanged } from './issuer.js'

export interface Signing extends Pick<CredentialParts, 'schema' | 'extraContexts'> {
  format: CredentialFormat
  algorithm: Algorithm
  input: CredentialInput
  issuer: Issuer
  /** The registry of its status; undefined: not revocable, or with a status of the caller's own. */
  registry: RegistryRow | undefined
  /** The method whose entry names its place there. */
  form: StatusMethod | undefined
  /** The reasons why contexts that it names cannot be had, by their URLs. */
  missing: ReadonlyMap<string, string>
}

/** A signed credential, and what it says. */
export interface Signed {
  credential: Credential
  claims: Claims
  issuanceDate: string
}

export interface Storing {
  id: string
  signing: Signing
  signed: Signed
  /** The index that was drawn for it in its registry. */
  index: number | undefined
  sealed: Buffer | null
  template: string | null
  bytes: number
  /** To whom it is sent by mail. */
  recipient: Recipient | undefined
}

export const TAKEN = new Error('the index is taken')
export const CHANGED = new Error('the issuer is no longer as it was')

/**
 * Stores a credential: its place in the registry, its metadata, audit row, events and the answer to its request, all or
 * nothing. Those of the same moment and team are stored together, in one transaction; when that fails they are stored in
 * halves, so that one which cannot be stored fails alone.
 * @throws `TAKEN` or `CHANGED`
 */
export const storeSigned = (ctx: Context, storing: Storing): Promise<void> =>
  store(ctx.db, ctx.team, { ctx, ...storing })

type Member = Storing & { ctx: Context }

const store = batchLoaderByPart(storeTogether, { running: 1, most: 32 })

/** @returns for each undefined, or why it alone is not stored */
async function storeTogether(db: Database, members: readonly Member[]): Promise<(undefined | typeof TAKEN)[]> {
  const [first] = members
  if (first === undefined) return []
  // Each has a claim of its own to its request.
  const { idempotency: _, ...scope } = first.ctx.scope
  const storeAll = async (tx: Tx) => {
    requireIssuers(tx, members)
    const isPlaced = await allocate(tx, members)
    const placed = members.filter((member) => isPlaced.get(member) ?? true)
    insertCredentials(tx, placed.map(rowOf))
    const acting = placed.map((member) => ({ member, own: tx.onBehalfOf(member.ctx.scope) }))
    for (const { member, own } of acting) await tell(own, member)
    for (const { member, own } of acting) await own.answer(member.signed.credential, aboutOf(member))
    return members.map((member) => (placed.includes(member) ? undefined : TAKEN))
  }
  return db.transaction(scope, storeAll, 'writes by key')
}

/** Lets the transaction fail when one of the issuers is no longer as it was, each asked for once. */
function requireIssuers(tx: Tx, members: readonly Member[]): void {
  const asked = new Map(
    members.map(({ signing: { algorithm, issuer, registry } }) => [
      JSON.stringify([algorithm.keyKind, issuer.key.keyRef, issuer.profile, registry?.id]),
      { algorithm, issuer: { ...issuer, registry } },
    ]),
  )
  for (const { algorithm, issuer } of asked.values()) requireUnchanged(tx, algorithm, issuer, CHANGED)
}

/** Takes the places of those that have drawn one; tells of each of them whether it was free. */
async function allocate(tx: Tx, members: readonly Member[]): Promise<ReadonlyMap<Member, boolean>> {
  const byMethod = new Map<StatusMethod, { member: Member; drawn: DrawnIndex }[]>()
  for (const member of members) {
    const { ctx, id, index } = member
    const { registry } = member.signing
    if (registry === undefined || index === undefined) continue
    const method = ctx.statusMethods.of(registry)
    const drawn = { registry, team: ctx.team, index, revocationId: revocationIdOf(id) }
    byMethod.set(method, [...(byMethod.get(method) ?? []), { member, drawn }])
  }
  const isPlaced = new Map<Member, boolean>()
  for (const [method, some] of byMethod) {
    const areFree = await method.allocate(
      tx,
      some.map(({ drawn }) => drawn),
    )
    for (const [i, { member }] of some.entries()) isPlaced.set(member, areFree[i] ?? false)
  }
  return isPlaced
}

function rowOf(member: Member): NewCredential {
  const { ctx, id, signing, signed, index, sealed, template, bytes } = member
  const { did: issuer, key, profile } = signing.issuer
  const { claims, issuanceDate } = signed
  const place = placeOf(ctx, signing, index)
  return {
    team_id: ctx.team,
    id,
    issuer,
    issuer_key: key.verificationMethod,
    issuer_name: profile?.name ?? null,
    type: textOf(claims.types.at(-1)) ?? 'VerifiableCredential',
    subject_ref: subjectIds(claims).join(' ').slice(0, 1024),
    marks: ctx.events.marksOf(ctx.team, aboutOf(member)),
    algorithm: signing.algorithm.name,
    registry_id: place?.registryId ?? null,
    status_index: place?.index ?? null,
    issuance_date: new Date(issuanceDate),
    expiration_date: earliest(claims.dates.ends) ?? null,
    byte_size: bytes,
    template,
    sealed,
    created: ctx.clock.now(),
  }
}

/** Writes what a request leaves beside its credential. */
async function tell(tx: Tx, member: Member): Promise<void> {
  const { ctx, id, signing, signed, bytes, recipient } = member
  const { credential } = signed
  const about = aboutOf(member)
  await tx.audit({
    action: 'issueCredential',
    subject: id,
    after: {
      issuer: signing.issuer.did,
      algorithm: signing.algorithm.name,
      isRevocable: signing.registry !== undefined,
    },
  })
  tx.bill('credential')
  const data = { id, signingOps: 1, byteSize: bytes, key: signing.issuer.key.verificationMethod, credential }
  await tx.emitAll([{ team: ctx.team, event: CREDENTIAL_EVENTS, data, resource: id, about }])
  if (recipient === undefined) return
  const { did, profile } = signing.issuer
  const mail = await queueMail(tx, ctx, { ...recipient, issuer: profile?.name ?? did, credential }, about)
  ctx.reply.header(DISTRIBUTION_HEADER, `email (job ${mail.id})`)
}

/** Returns the place of its status on a list of this ledger: the booked one, or the first that its own entries name. */
function placeOf({ config, statusMethods }: Context, { registry, input }: Signing, index: number | undefined) {
  if (registry && index !== undefined) return { registryId: registry.id, index }
  const places = ownStatuses(input).map((entry) => statusMethods.ofEntry(entry)?.placeOf(config, entry))
  return places.find((place) => place !== undefined)
}

/** Returns the earliest end that the credential names. */
function earliest(dates: readonly Json[]): Date | undefined {
  const instants = dates.flatMap((text) => (typeof text === 'string' ? [new Date(text).getTime()] : []))
  return instants.length > 0 ? new Date(Math.min(...instants)) : undefined
}

const subjectIds = ({ subject }: Claims): string[] =>
  asArray(subject).flatMap((one) => (isObject(one) ? (textOf(one.id) ?? []) : []))

/** Returns the ids by which erasure finds what is kept of a credential: its own, and those of its subjects. */
const aboutOf = ({ id, signed }: Member): string[] => [id, ...subjectIds(signed.claims)]
