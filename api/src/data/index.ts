import type { Capability } from '../capability.js'
import { forgetNotifications } from './notifications/forget-notifications.js'
import { foldUsage } from './usage/fold-usage.js'

export const data: Capability = {
  name: 'data',
  operations: async () => (await import('./operations.js')).data,
  sweeps: { regular: [foldUsage], daily: [forgetNotifications] },
}
