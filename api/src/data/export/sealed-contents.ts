import { batchKey, openRow } from '../../credentials/batch/batch-seal.js'
import { openMail } from '../../credentials/delivery/mail.store.js'
import type { TeamId } from '../../platform/database/ids.js'
import type { JsonObject } from '../../platform/database/tables.js'
import type { Environment } from '../../platform/http/context.js'

interface Keys extends Pick<Environment, 'deriveKey' | 'events'> {
  team: TeamId
}

/** Opens what a row of a table holds sealed, for the team that owns it: by the row, with the names of its columns. */
type SealedContents = Readonly<Record<string, (keys: Keys, row: JsonObject, sealed: Buffer) => unknown>>

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

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
