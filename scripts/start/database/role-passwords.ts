import { randomBytes } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, Refusal } from '../refusal.js'
import { roleName, type Settings, writePrivately } from '../state/settings.js'
import { type RoleNaming, type RoomName, roomNames } from './roles.js'

type Named = Pick<Settings, 'installation'>

const fileOf = (stateDir: string, room: RoomName) => join(stateDir, 'keys', `database-${room}`)

/**
 * Names the database roles of an installation and their passwords: random, one for each, in a file that only its owner
 * can read. Missing ones are made; the preparation of the roles sets the passwords anew, so that no lost one is missed.
 */
export async function roleNaming(stateDir: string, settings: Named): Promise<RoleNaming> {
  await mkdir(join(stateDir, 'keys'), { recursive: true, mode: 0o700 })
  for (const room of roomNames) {
    if ((await readPassword(stateDir, room)) !== undefined) continue
    await writePrivately(fileOf(stateDir, room), `${randomBytes(24).toString('base64url')}\n`)
  }
  return keptRoleNaming(stateDir, settings)
}

/** Does the same for an installation that runs, and makes nothing. */
export async function keptRoleNaming(stateDir: string, settings: Named): Promise<RoleNaming> {
  const passwords = new Map<RoomName, string>()
  for (const room of roomNames) passwords.set(room, (await readPassword(stateDir, room)) ?? '')
  return {
    name: (room) => roleName(settings, room),
    password(room) {
      const password = passwords.get(room)
      if (!password)
        throw new Refusal(`${fileOf(stateDir, room)} is missing: start Accredit again, which makes another.`)
      return password
    },
  }
}

async function readPassword(stateDir: string, room: RoomName): Promise<string | undefined> {
  try {
    return (await readFile(fileOf(stateDir, room), 'utf8')).trim() || undefined
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw new Refusal(`${fileOf(stateDir, room)} cannot be read: ${codeOf(error)}.`)
  }
}
