import { createHmac, timingSafeEqual } from 'node:crypto'
import type { JsonObject } from '../../formats/json.js'
import type { Reader } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import { ApiError } from '../../platform/errors.js'
import type { Context, Environment } from '../../platform/http/context.js'
import { isOwnAddress } from '../../platform/security/own-addresses.js'
import { hasStatusList } from '../../revocation/registry.store.js'
import { hasCredential } from '../credential.store.js'
import type { CredentialInput } from './credential-input.js'

type Keyed = Pick<Environment, 'config' | 'deriveKey'>

const BYTES = 16

/**
 * An id for a credential that came without one: the public address of its persisted copy. Its second half is a mark by
 * which this service alone recognises the team, also where nothing is kept of the credential.
 */
export const generatedId = (ctx: Pick<Context, 'config' | 'deriveKey' | 'random' | 'team'>): string => {
  const chance = ctx.random.hex(BYTES)
  return addressOf(ctx, `${chance}${markOf(ctx, ctx.team, chance).toString('hex')}`)
}

export const addressOf = ({ config }: Pick<Environment, 'config'>, hex: string): string => `${config.webUrl}/c/${hex}`

const markOf = ({ deriveKey }: Keyed, team: TeamId, chance: string): Buffer =>
  createHmac('sha256', deriveKey('credential-address')).update(`${team} ${chance}`).digest().subarray(0, BYTES)

/** Tells whether the address of a credential was made for the team by `generatedId`. */
export function wasMadeFor(ctx: Keyed, team: TeamId, hex: string): boolean {
  const chance = hex.slice(0, 2 * BYTES)
  return timingSafeEqual(Buffer.from(hex.slice(2 * BYTES), 'hex'), markOf(ctx, team, chance))
}

/**
 * Ids under our own addresses belong to the team that they were given to.
 * @throws 409 when the credential, or the status list that it names, is another team's, or was never given out
 */
export async function requireOwnIds(ctx: Context, { id, status }: Pick<CredentialInput, 'id' | 'status'>) {
  const entries = typeof status === 'object' ? status : []
  if (id === undefined && entries.length === 0) return
  const taken = await ctx.db.read(ctx.scope, async (reader) => {
    if (id !== undefined && !(await isOwnId(reader, ctx, id))) return `credential.id: ${id}`
    for (const entry of entries) {
      const list = await strangersList(reader, ctx, entry)
      if (list !== undefined) return `credential.status: ${list}`
    }
    return undefined
  })
  if (taken !== undefined)
    throw new ApiError('conflict', `${taken} is an address of this service that was not given to your team`)
}

export async function isOwnId(reader: Reader, ctx: Context, id: string): Promise<boolean> {
  if (!isOwnAddress(ctx.config, id)) return true
  const hex = /\/c\/([0-9a-f]{64})$/.exec(id)?.[1]
  if (hex === undefined || id !== addressOf(ctx, hex)) return false
  // Ids of earlier versions carry no mark, and are recognised by the stored credential.
  return wasMadeFor(ctx, ctx.team, hex) || hasCredential(reader, ctx.team, id)
}

/** The first address of this service in a status entry that is no list of the team. */
async function strangersList(reader: Reader, ctx: Context, entry: JsonObject): Promise<string | undefined> {
  for (const { uri, registryId } of ctx.statusMethods.ofEntry(entry)?.claimedPlaces(ctx.config, entry) ?? [])
    if (registryId === undefined || !(await hasStatusList(reader, ctx.team, registryId))) return uri
  return undefined
}
