import type { Sweep } from '../platform/sweeps/sweep.js'
import { noteExpiring, noteFilling } from './expiration.store.js'

/** The events that web hooks get of what is about to be over. */
export const EXPIRATION_EVENTS = [
  'key_expiring',
  'team_invitation_expiring',
  'invitation_expiring',
  'status_list_filling',
] as const

const BATCH = 1000

/**
 * Tells web hooks once of each thing that is about to be over. The notice and its event are one transaction: two
 * workers tell it once, and none that dies loses it.
 */
export const tellExpiring: Sweep = async ({ db, clock }) => {
  for (;;) {
    const told = await db.transaction('system', async (tx) => {
      const noted = await noteExpiring(tx, clock.now(), BATCH)
      await tx.emitAll(
        noted.map(({ team, kind, id, registryId, expires }) => ({
          team,
          event: `${kind}_expiring`,
          data: { id, ...(registryId !== null && { registryId }), expires: expires.toISOString() },
          resource: `${kind.replace('_', ' ')} ${id}`,
        })),
      )
      return noted.length
    })
    if (told < BATCH) return
  }
}

/** Tells web hooks once of each status list of which little is left: counting a list of a million takes its time. */
export const tellFilling: Sweep = async ({ db, clock }) => {
  await db.transaction('system', async (tx) => {
    const noted = await noteFilling(tx, clock.now())
    await tx.emitAll(
      noted.map(({ team, ...data }) => ({ team, event: 'status_list_filling', data, resource: data.id })),
    )
  })
}
