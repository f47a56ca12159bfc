import type { Served } from '../platform/http/operation.js'

export const data: Served = { operations: [] }
