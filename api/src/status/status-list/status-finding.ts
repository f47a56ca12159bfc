import { type Finding, failed, passed } from '../../formats/check.js'
import type { ListEntry } from './list-form.js'

type Named = Pick<ListEntry, 'messageOf'> & { purpose: string }

/** Says what a status means for a credential, by the purpose of its list: 0 is that nothing is known against it. */
export function statusFinding(status: number, { purpose, messageOf }: Named): Finding {
  if (purpose === 'message') return told(messageOf?.(status) ?? (status === 0 ? 'unset' : 'set'))
  if (status === 0) return passed()
  if (purpose === 'refresh') return passed({ reason: 'refresh', explanation: 'a newer one can be had from its issuer' })
  return purpose === 'suspension' ? failed('suspended', 'it is suspended') : failed('revoked', 'it is revoked')
}

/** A message says something about a credential, and takes nothing from it. */
const told = (message: string): Finding => passed({ reason: 'message', explanation: `its issuer says: ${message}` })
