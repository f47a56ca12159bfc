import type { Served } from '../platform/http/operation.js'
import { listExpirations } from './list-expirations.js'

export const expirations: Served = { operations: [listExpirations] }
