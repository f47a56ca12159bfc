import type { RoomName } from '../start/database/roles.js'

/** The parts of an installation that the checks look at, as far as it has them. */
export interface Place {
  projectRoot: string
  /** The folders whose disks must not be full, by what they hold. */
  folders: Readonly<Record<string, string>>
  /** The key files that nothing can replace, by name. */
  keyFiles: Readonly<Record<string, string>>
  /** The journal of erasures. */
  journal: string | undefined
  /** The login of each database role, and of the role that owns everything. */
  databases: Readonly<Partial<Record<RoomName | 'owner', string>>>
  /** The address at which the API answers on this machine or in this network. */
  apiUrl: string | undefined
  /** The address that clients use, when it has a certificate. */
  publicUrl: string | undefined
  redisUrl: string | undefined
  smtpUrl: string | undefined
  /** The files of certificates that processes show each other. */
  certificates: readonly string[]
}
