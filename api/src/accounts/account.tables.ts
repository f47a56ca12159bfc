import type { ColumnType, Generated } from 'kysely'
import type { TeamId } from '../platform/database/ids.js'
import type { Timestamp } from '../platform/database/tables.js'

interface SessionsTable {
  id: Generated<number>
  team_id: TeamId
  user_id: number
  /** SHA-256 of the token. */
  hash: Buffer
  created: Timestamp
  expires: Timestamp
}

interface SignInLinksTable {
  hash: Buffer
  email: string
  expires: Timestamp
}

interface TeamInvitationsTable {
  id: Generated<number>
  team_id: TeamId
  email: string
  role: 'administrator' | 'member'
  status: Generated<'pending' | 'accepted' | 'canceled'>
  hash: Buffer
  invited_by: number | null
  created: Timestamp
  /** When it was sent last. */
  sent: Timestamp
  expires: Timestamp
}

interface OutgoingMailsTable {
  id: Generated<number>
  /** Its address, subject and text. */
  sealed: Buffer
  /** A keyed hash of the address (`recipientMark`). */
  recipient: ColumnType<Buffer | null, Buffer, never>
  /** The team that it is about. */
  team_id: ColumnType<TeamId | null, TeamId | null, never>
  attempts: Generated<number>
  next_attempt: Timestamp
  expires: Timestamp
}

/** The deletion of a team; its row stays. */
interface DeletionsTable {
  id: string
  team_id: TeamId
  started: Timestamp
  ended: ColumnType<Date | null, undefined, Date>
  /** Rows by table, and keys. */
  counts: ColumnType<Record<string, number>, undefined, string>
}

declare module '../platform/database/tables.js' {
  interface ServiceTables {
    sessions: SessionsTable
    sign_in_links: SignInLinksTable
    team_invitations: TeamInvitationsTable
    outgoing_mails: OutgoingMailsTable
    deletions: DeletionsTable
  }
}
