import type { KeyKind } from '../ledger/write/signer-door.js'
import { ApiError, invalid } from '../platform/http/errors.js'
import type { DidType } from './did.tables.js'

/**
 * Reads a caller's `type`: `ledgerA` (default) or `key`. `aliases` are other texts for `ledgerA`, from configuration.
 * The second ledger method has a name and no ledger.
 */
export function parseDidType(text: string | undefined, aliases: readonly string[]): DidType {
  const type = text?.trim() ?? ''
  if (type === '' || type === 'ledgerA' || aliases.includes(type)) return 'ledgerA'
  if (type === 'key') return 'key'
  if (type === 'ledgerB') {
    throw new ApiError('ledger_not_configured', 'No second ledger is configured: use type ledgerA or key')
  }
  throw invalid('type must be ledgerA, ledgerB or key')
}

const KEY_TYPES: Readonly<Record<string, KeyKind>> = {
  ed25519: 'Ed25519',
  bjj: 'BabyJubJub',
  secp256k1: 'Secp256k1',
  sr25519: 'Sr25519',
}
const DEPRECATED: readonly KeyKind[] = ['Secp256k1', 'Sr25519']

/** Returns the kind of key that a caller's `keyType` means; Ed25519 where it is absent. */
export function parseKeyType(text: string | undefined): KeyKind {
  const name = text?.trim() || 'ed25519'
  const kind = Object.hasOwn(KEY_TYPES, name) ? KEY_TYPES[name] : undefined
  if (kind === undefined) throw invalid(`keyType must be one of ${Object.keys(KEY_TYPES).join(', ')}`)
  return kind
}

/** The specification reserves these two kinds for deployments that have them. */
export const isDeprecated = (kind: KeyKind): boolean => DEPRECATED.includes(kind)
