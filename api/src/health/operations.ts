import type { Served } from '../platform/http/operation.js'
import { getStatusPage } from './get-status-page.js'

export const health: Served = { operations: [getStatusPage] }
