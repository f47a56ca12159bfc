import { ERRORS, type ErrorType } from '../../errors.js'
import { needsCaller } from '../../security/access.js'
import { inputClassOf } from '../input/input-class.js'
import type { Described } from '../operation.js'

/** The errors that any request can meet before an operation sees it, or when something is too busy or broken. */
const ALWAYS: readonly ErrorType[] = [
  'invalid_request',
  'request_timeout',
  'rate_limited',
  'headers_too_large',
  'internal_error',
  'unavailable',
]

type Kind = Pick<Described, 'method' | 'auth' | 'role' | 'input' | 'errors' | 'idempotent' | 'ledgerWrite' | 'tagged'>

/**
 * Every `type` with which an operation can refuse: those that it lists itself, and those that follow from its
 * declaration, in the catalogue's order.
 */
export function errorTypesOf(op: Kind): ErrorType[] {
  const writes = op.method !== 'GET'
  const isOpened = needsCaller(op.auth)
  const types = new Set<ErrorType>([
    ...ALWAYS,
    ...(op.errors ?? []),
    ...when(inputClassOf(op) !== 'standard', 'unknown_member'),
    ...when(op.auth !== 'public', 'unauthorized', 'ip_not_allowed', 'wrong_environment'),
    ...when(op.role !== undefined && op.role !== 'member', 'forbidden'),
    ...when(writes, 'payload_too_large', 'unsupported_media_type'),
    ...when(writes && isOpened, 'conflict'),
    ...when(writes && isOpened && op.idempotent !== false, 'idempotency_mismatch', 'idempotency_in_progress'),
    ...when(op.tagged === true, 'precondition_failed'),
    ...when(op.ledgerWrite === true, 'ledger_unavailable', 'limit_reached'),
  ])
  return catalogue.filter((type) => types.has(type))
}

const catalogue = Object.keys(ERRORS).filter((type): type is ErrorType => Object.hasOwn(ERRORS, type))

const when = (holds: boolean, ...types: ErrorType[]): ErrorType[] => (holds ? types : [])
