import type { SealedContents } from '../data/export/sealed-contents.js'
import { batchKey, openRow } from './batch/batch-seal.js'
import { openMail } from './delivery/mail.store.js'

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Opens what tables of credentials, and events about them, hold for their team. */
export const sealedContents: SealedContents = {
  credential_batch_rows: (keys, { seal, row, state }, sealed) =>
    JSON.parse(
      openRow(
        batchKey(keys),
        { seal: textOf(seal), row: Number(row), holds: state === 'todo' ? 'request' : 'outcome' },
        sealed,
      ),
    ),
  credential_mails: ({ deriveKey }, { job_id }, sealed) => openMail(deriveKey, textOf(job_id), sealed),
  outgoing_events: ({ events, team }, { event }, sealed) =>
    JSON.parse(events.open({ team_id: team, event: textOf(event), sealed })),
}
