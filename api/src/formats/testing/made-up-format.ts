import { createHash } from 'node:crypto'
import { parseJson } from '../../platform/http/input/json.js'
import { type Findings, failed, passed } from '../check.js'
import type {
  Claims,
  CredentialFormat,
  CredentialParts,
  DerivedCredential,
  Draft,
  GivenKey,
  NamedSchema,
  NeededKey,
  Proof,
  Recognised,
  SignedParts,
} from '../credential-format.js'
import { asArray, idOf, isObject, type Json, type JsonObject, textOf } from '../json.js'
import { verifyEd25519 } from '../keys/verify-key.js'

export const NAME = 'made-up'

/** Other keys than those of the formats that are here. */
const KEY_KIND = 'Secp256k1'

/**
 * A format of no standard, for tests: a compact token of several messages, each signed by itself. It shows hashes of
 * the signatures only, so that nobody but who holds the issuer's key can tell whether they are right. Claims that the
 * schema marks with `sd` stand in it as digests: its holder shows what it wants of them, with the key that the token
 * names or in a presentation that is derived of several tokens (`made-up-wallet.ts`). It has the name of
 * another format, and an algorithm of its own.
 */
export const madeUpFormat: CredentialFormat = {
  name: 'jwt',
  algorithms: [{ name: NAME, keyKind: KEY_KIND, primitive: 'sign' }],
  registryTypeFor: () => 'MadeUpAccumulator',
  build,
  recognise: (given) => (typeof given === 'string' && given.startsWith(`${NAME}.`) ? recognise(given) : undefined),
}

function build(parts: SignedParts): Draft {
  const { verificationMethod, created } = parts
  const written = { ...membersOf(parts), verificationMethod, created }
  return {
    claims: claimsOf(written, false),
    leftOut: [],
    async toSign({ random }) {
      const disclosures = disclosuresOf(parts, random)
      const payload = { ...written, subject: withDigests(parts.subject, disclosures) }
      return {
        messages: messagesOf(payload),
        finish: async (signatures) =>
          [[NAME, encoded(payload), encoded(signatures.map(tagOf))].join('.'), ...disclosures].join('~'),
      }
    },
  }
}

function membersOf({ id, types, subject, issuer, schema, statuses, others, ...parts }: CredentialParts): JsonObject {
  const { issuanceDate, expirationDate } = parts
  const { cnf } = others
  return {
    id,
    types: [...types],
    subject,
    issuanceDate,
    ...(issuer && { issuer: issuer.did }),
    ...(expirationDate !== undefined && { expirationDate }),
    ...(schema && { schema: schema.id }),
    ...(statuses.length > 0 && { status: [...statuses] }),
    ...(isObject(cnf) && { cnf }),
  }
}

/** A salted text for each claim that the schema lets a holder leave out. */
function disclosuresOf({ subject, schema }: CredentialParts, random: (length: number) => Uint8Array): string[] {
  const members = isObject(subject) ? Object.entries(subject) : []
  return members
    .filter(([name]) => isDisclosable(schema, name))
    .map(([name, value]) => encoded([Buffer.from(random(16)).toString('base64url'), name, value]))
}

function isDisclosable(schema: NamedSchema | undefined, name: string): boolean {
  const properties = schema?.document.properties
  const property = isObject(properties) ? properties[name] : undefined
  return isObject(property) && property.sd === 'allowed'
}

function withDigests(subject: Json, disclosures: readonly string[]): Json {
  if (!isObject(subject) || disclosures.length === 0) return subject
  const names = new Set(disclosures.map(nameIn))
  const open = Object.entries(subject).filter(([name]) => !names.has(name))
  return { ...Object.fromEntries(open), _sd: disclosures.map(digestOf) }
}

const encoded = (value: Json): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex')
const tagOf = (signature: Uint8Array): string => sha256(signature)
const digestOf = (disclosure: string): string => sha256(disclosure)

/** A tag as one presentation shows it. */
export const tagFor = (tag: string, challenge: string): string => sha256(`${tag} ${challenge}`)

/** The name of the claim that a disclosure tells. */
export const nameIn = (disclosure: string): Json | undefined => asArray(decoded(disclosure))[1]

/** A message for each member, in the order of their names. */
const messagesOf = (payload: JsonObject): Uint8Array[] =>
  Object.entries(payload)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map((member) => Buffer.from(JSON.stringify(member)))

export function decoded(text: string | undefined): Json {
  try {
    return parseJson(Buffer.from(text ?? '', 'base64url').toString('utf8'))
  } catch {
    return null
  }
}

function recognise(text: string): Recognised {
  const [token = '', ...shown] = text.split('~')
  const [, encodedPayload, encodedTags] = token.split('.')
  if (encodedPayload === 'derived') return derivedPresentation(decoded(encodedTags))
  const [payload, tags] = [decoded(encodedPayload), decoded(encodedTags)]
  const key = isObject(payload) ? issuerKey(payload) : undefined
  const binding = shown.at(-1)?.startsWith('kb.') ? shown.pop() : undefined
  if (!isObject(payload) || !Array.isArray(tags) || key === undefined)
    return { kind: 'credential', wrong: failed('malformed', 'it is no made-up token') }
  const subject = withClaims(payload.subject ?? null, shown)
  if (subject === undefined)
    return { kind: 'credential', wrong: failed('malformed', 'it shows a claim that it does not hold') }
  const { claims, isWhole } = subject
  const credential = {
    kind: 'credential',
    claims: claimsOf({ ...payload, subject: claims }, !isWhole),
    proofs: [issuerProof({ payload, tags, key })],
  } as const
  return binding === undefined ? credential : keyBound(credential, text.slice(0, -binding.length), binding)
}

/** The subject with the claims that are shown; undefined: the token holds no such claim. */
function withClaims(subject: Json, shown: readonly string[]): { claims: Json; isWhole: boolean } | undefined {
  const { _sd, ...open } = isObject(subject) ? subject : {}
  const digests = asArray(_sd)
  if (!shown.every((disclosure) => digests.includes(digestOf(disclosure)))) return undefined
  if (!isObject(subject)) return { claims: subject, isWhole: true }
  const told = shown.map(decoded).map((one) => [String(asArray(one)[1]), asArray(one)[2] ?? null] as const)
  return { claims: { ...open, ...Object.fromEntries(told) }, isWhole: shown.length === digests.length }
}

function issuerKey({ verificationMethod, created }: JsonObject): NeededKey | undefined {
  const id = textOf(verificationMethod)
  return id === undefined
    ? undefined
    : { id, purpose: 'assertionMethod', kind: KEY_KIND, half: 'private', signedAt: created }
}

interface Tagged {
  payload: JsonObject
  tags: readonly Json[]
  key: NeededKey
}

const issuerProof = ({ payload, tags, key }: Tagged): Proof => ({
  ...NO_QUESTIONS,
  shown: { type: NAME, verificationMethod: key.id },
  created: payload.created,
  checking: {
    by: 'keys',
    keys: [key],
    async check([given]) {
      return found(isSame(await tagsBy(given, payload), tags), 'a member was changed')
    },
  },
})

const NO_QUESTIONS = { expires: [], challenge: undefined, domain: undefined }

const tagsBy = async ({ ask }: GivenKey, payload: JsonObject): Promise<string[]> =>
  (await ask('sign', messagesOf(payload))).map(tagOf)

const isSame = (expected: readonly string[], given: readonly Json[]): boolean =>
  expected.length === given.length && expected.every((tag, place) => tag === given[place])

const found = (isRight: boolean, detail: string): Findings => ({
  proof: isRight ? passed() : failed('invalid_signature', detail),
})

/** A token that its holder shows with the key that it names. */
function keyBound(credential: Recognised, signed: string, binding: string): Recognised {
  const [, question, signature = ''] = binding.split('.')
  const asked = decoded(question)
  const id = credential.kind === 'credential' && !credential.wrong ? credential.claims.holderKey : undefined
  if (credential.kind !== 'credential' || credential.wrong || id === undefined || !isObject(asked))
    return { kind: 'presentation', wrong: failed('malformed', 'it names no key of its holder') }
  const proof: Proof = {
    shown: { type: 'kb', verificationMethod: id },
    created: asked.created,
    expires: [],
    challenge: asked.nonce,
    domain: asked.aud,
    checking: {
      by: 'keys',
      keys: [{ id, purpose: 'authentication', kind: 'Ed25519', half: 'public' }],
      async check([{ publicKey }]) {
        const bytes = Buffer.from(`${signed}${question}`)
        const isRight = await verifyEd25519(publicKey, bytes, Buffer.from(signature, 'base64url'))
        return found(isRight, 'the holder signed something else')
      },
    },
  }
  return { kind: 'presentation', holder: undefined, dates: NO_DATES, credentials: [credential], proofs: [proof] }
}

const NO_DATES = { begins: [], ends: [] }

/** A presentation with one proof over tokens of several issuers, which says nothing of who shows it. */
function derivedPresentation(given: Json): Recognised {
  const { nonce, created, holder, tokens } = isObject(given) ? given : {}
  const read = asArray(tokens).map((one): Tagged | undefined => {
    const { payload, tags } = isObject(one) ? one : {}
    const key = isObject(payload) ? issuerKey(payload) : undefined
    return isObject(payload) && Array.isArray(tags) && key ? { payload, tags, key } : undefined
  })
  const [first, ...others] = read.filter((one) => one !== undefined)
  if (first === undefined || read.includes(undefined) || typeof nonce !== 'string')
    return { kind: 'presentation', wrong: failed('malformed', 'it is no derived presentation') }
  const all = [first, ...others]
  const proof: Proof = {
    ...NO_QUESTIONS,
    shown: { type: 'derived' },
    created,
    challenge: nonce,
    checking: {
      by: 'keys',
      keys: [first.key, ...others.map(({ key }) => key)],
      async check(keys) {
        const right = await Promise.all(
          all.map(async ({ payload, tags }, place) => {
            const { status: _proven, ...signed } = payload
            const own = keys[place] ? await tagsBy(keys[place], signed) : []
            return isSame(
              own.map((tag) => tagFor(tag, nonce)),
              tags,
            )
          }),
        )
        return found(right.every(Boolean), 'a member was changed, or the proof is of another presentation')
      },
    },
  }
  const credentials = all.map(
    ({ payload, key }): DerivedCredential => ({ kind: 'derived', claims: claimsOf(payload, true), key }),
  )
  return { kind: 'presentation', holder: textOf(holder), dates: NO_DATES, credentials, proofs: [proof] }
}

const claimsOf = (payload: JsonObject, isDerived: boolean): Claims => ({
  id: payload.id,
  issuer: idOf(payload.issuer),
  types: asArray(payload.types),
  subject: payload.subject,
  dates: { begins: asArray(payload.issuanceDate), ends: asArray(payload.expirationDate) },
  schemas: asArray(payload.schema),
  statuses: asArray(payload.status),
  previous: undefined,
  holderKey: isObject(payload.cnf) ? textOf(payload.cnf.kid) : undefined,
  isDerived,
  hidesClaims: isDerived,
})
