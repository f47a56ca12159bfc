import type { Sweep } from '../../platform/sweeps/sweep.js'
import { forgetOld } from './notification.store.js'

/** Deletes notifications after 90 days. */
export const forgetNotifications: Sweep = ({ db, clock }) =>
  db.transaction('system', async (tx) => forgetOld(tx, clock.now()))
