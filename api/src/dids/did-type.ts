import { ApiError, invalid } from '../platform/errors.js'
import type { DidType } from './did.tables.js'

/**
 * What a caller's `type` means: `ledgerA` (default) or `key`. `aliases` are other texts for `ledgerA`, from
 * configuration. The second ledger method has a name and no ledger.
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

/** Only Ed25519 keys are made as yet; the kinds that the specification names beside it are refused by name. */
export function checkKeyType(keyType: string | undefined): void {
  const kind = keyType?.trim() ?? ''
  if (kind === '' || kind === 'ed25519') return
  throw invalid(`keyType ${kind.slice(0, 32)} is not available: use ed25519`)
}
