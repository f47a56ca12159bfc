import type { Generated } from 'kysely'
import type { TeamId } from '../../platform/database/ids.js'
import type { Marks, Timestamp } from '../../platform/database/tables.js'

interface CredentialMailsTable {
  job_id: string
  team_id: TeamId
  sealed: Buffer
  /** Keyed hashes of the ids of the credential and its subjects, and of the recipient's address. */
  marks: Marks
  attempts: Generated<number>
  next_attempt: Timestamp
  created: Timestamp
}

declare module '../../platform/database/tables.js' {
  interface ServiceTables {
    credential_mails: CredentialMailsTable
  }
}
