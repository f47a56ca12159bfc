import { createLog } from '@accredit/process/log'

export const log = createLog({ name: 'signer', level: process.env.LOG_LEVEL ?? 'info' })
