import type { Capability } from '../capability.js'
import type { SealedContents } from './export/sealed-contents.js'
import { forgetNotifications } from './notifications/forget-notifications.js'
import { foldUsage } from './usage/fold-usage.js'

/** @param contents opens what later capabilities hold sealed, for the export of their team */
export const dataWith = (contents: () => Promise<SealedContents>): Capability => ({
  name: 'data',
  operations: async () => (await import('./operations.js')).dataWith(contents),
  sweeps: { regular: [foldUsage], daily: [forgetNotifications] },
})
