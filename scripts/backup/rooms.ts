import type pg from 'pg'
import { Refusal } from '../start/refusal.js'
import { type Room, SCHEMAS } from './archive.js'
import type { Table } from './tables.js'

/** The parts of an installation that stand in its own database, as the settings of its place tell. */
export interface Shape {
  /** True where a network of validators takes the place of the embedded ledger. */
  isOnNetwork: boolean
  /** True where this is the product's host, and the signer has one of its own. */
  isSignerElsewhere: boolean
}

/** The key files without which the rows of a room are of no use; others belong to the service. */
const KEYS: Readonly<Record<string, Room>> = { 'master.key': 'signer', 'ledger.key': 'chain' }

export const isKeyOf = (rooms: readonly Room[], name: string): boolean => rooms.includes(KEYS[name] ?? 'service')

const roomsOf = (tables: readonly Table[]): Room[] =>
  SCHEMAS.filter((room) => tables.some(({ schema }) => schema === room))

export const isSignerAlone = (rooms: readonly Room[]): boolean => rooms.length === 1 && rooms[0] === 'signer'

/** Returns the rooms that a copy of this database has, and refuses one that holds nothing or half an installation. */
export async function roomsToCopy(client: pg.Client, tables: readonly Table[], shape: Shape): Promise<Room[]> {
  const found = roomsOf(tables)
  if (await isOfSignersHost(client, found, shape)) return ['signer']
  if (await isSignerUnused(client, found, shape))
    return copied(
      found.filter((room) => room !== 'signer'),
      shape,
    )
  return copied(found, shape)
}

function copied(found: Room[], shape: Shape): Room[] {
  const missing = missingOf(found, shape)
  if (missing.length === 0) return found
  throw new Refusal(
    `This database holds no whole installation: schema ${missing.join(', ')} is empty.${reasons(missing).join('')}`,
  )
}

/** The preparation makes the tables of the service everywhere; on the signer's host no team ever comes, and no index. */
async function isOfSignersHost(client: pg.Client, found: readonly Room[], shape: Shape): Promise<boolean> {
  if (!mayBeSignersHost(shape) || !found.includes('signer')) return false
  if (found.includes('ledger') || found.includes('chain')) return false
  if (!found.includes('service')) return true
  const { rows } = await client.query<{ has: boolean }>('select exists (select from service.teams) as has')
  return rows[0]?.has === false
}

/** The preparation makes a signer everywhere, too: where another host has it, no key is ever made in this one. */
async function isSignerUnused(client: pg.Client, found: readonly Room[], shape: Shape): Promise<boolean> {
  if (!shape.isSignerElsewhere || !found.includes('signer')) return false
  const { rows } = await client.query<{ has: boolean }>('select exists (select from signer.keys) as has')
  return rows[0]?.has === false
}

/** Signers have a host of their own on networks alone. */
const mayBeSignersHost = ({ isOnNetwork, isSignerElsewhere }: Shape): boolean => isOnNetwork && !isSignerElsewhere

function missingOf(rooms: readonly Room[], { isOnNetwork, isSignerElsewhere }: Shape): Room[] {
  const needed = SCHEMAS.filter(
    (room) => !(room === 'chain' && isOnNetwork) && !(room === 'signer' && isSignerElsewhere),
  )
  return needed.filter((room) => !rooms.includes(room))
}

function reasons(missing: readonly Room[]): string[] {
  const settings: Partial<Record<Room, string>> = {
    chain:
      ' The settings of an installation on a network of validators name its nodes (LEDGER_URLS, or --ledger-urls).',
    signer: ' The settings of an installation whose signer is on another host name its address (SIGNER_URL).',
  }
  return missing.map((room) => settings[room] ?? '')
}

/** Refuses a copy that the settings of this place do not fit: what it does not have would be made anew, beside its rows. */
export function requireFitting(rooms: readonly Room[], shape: Shape): void {
  const missing = missingOf(rooms, shape)
  if (missing.length === 0 || (isSignerAlone(rooms) && mayBeSignersHost(shape))) return
  throw new Refusal(
    isSignerAlone(rooms)
      ? 'The copy is of the host of a signer: its settings have LEDGER_URLS, and no SIGNER_URL. Nothing was restored.'
      : `The copy has no ${missing.join(', ')}, which this place needs by its settings.${reasons(missing).join('')} Nothing was restored.`,
  )
}
