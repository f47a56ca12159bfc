import { type Hex, isHex32 } from './bytes.js'
import { parseDid } from './did.js'
import { ProofRefusal } from './refusal.js'

/** The questions to which a bundle can prove the answer. Ids are 0x and 64 hexadecimal digits, in lower case. */
export type Question =
  /** Whether this DID may issue, or verify, credentials of this schema in this trust registry. */
  | {
      readonly kind: 'authorization'
      readonly registryId: Hex
      /** BLAKE2b-256 of the schema's URI. */
      readonly schemaId: Hex
      readonly did: string
      readonly role: 'issuer' | 'verifier'
    }
  /** The trust registry of this id. */
  | { readonly kind: 'registry'; readonly registryId: Hex }
  /** Whether this DID of the ledger is in use. */
  | { readonly kind: 'did'; readonly did: string }
  /** The key `#keys-N` of this DID. */
  | { readonly kind: 'key'; readonly did: string; readonly keyNumber: number }
  /** Whether this index is revoked in this revocation registry. */
  | { readonly kind: 'status'; readonly registryId: Hex; readonly index: number }

/** The members of each kind of question, in their order, each with the check that its value passes. */
const MEMBERS: Readonly<Record<Question['kind'], Readonly<Record<string, (value: unknown) => boolean>>>> = {
  authorization: {
    registryId: isHex32,
    schemaId: isHex32,
    did: isDid,
    role: (value) => value === 'issuer' || value === 'verifier',
  },
  registry: { registryId: isHex32 },
  did: { did: isDidOfLedger },
  key: { did: isDidOfLedger, keyNumber: isU32 },
  status: { registryId: isHex32, index: isU32 },
}

/** Reads a question, with exactly its members. */
export function parseQuestion(value: unknown): Question {
  if (!isQuestion(value))
    throw new ProofRefusal(
      'malformed',
      'The question of the bundle is of no known kind, or its members are not of their form.',
    )
  return value
}

function isQuestion(value: unknown): value is Question {
  if (typeof value !== 'object' || value === null) return false
  const { kind, ...given } = Object.fromEntries(Object.entries(value))
  const members = Object.entries(MEMBERS).find(([name]) => name === kind)?.[1]
  return (
    members !== undefined &&
    Object.keys(given).length === Object.keys(members).length &&
    Object.entries(members).every(([name, isOfForm]) => isOfForm(given[name]))
  )
}

/** Says a question in a sentence. */
export function questionText(question: Question): string {
  switch (question.kind) {
    case 'authorization': {
      const act = question.role === 'issuer' ? 'issue' : 'verify'
      return `May ${question.did} ${act} credentials of schema ${question.schemaId} in trust registry ${question.registryId}?`
    }
    case 'registry':
      return `What is trust registry ${question.registryId}?`
    case 'did':
      return `Is ${question.did} in use?`
    case 'key':
      return `What is the key ${question.did}#keys-${question.keyNumber}?`
    case 'status':
      return `Is index ${question.index} of revocation registry ${question.registryId} revoked?`
  }
}

function isDid(value: unknown): value is string {
  return typeof value === 'string' && parseDid(value) !== undefined
}

function isDidOfLedger(value: unknown): value is string {
  return typeof value === 'string' && parseDid(value)?.id !== undefined
}

function isU32(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 0xffff_ffff
}
