import type { Served } from '../platform/http/operation.js'
import { listSweptRows } from './retention/list-swept-rows.js'

export const data: Served = { operations: [listSweptRows] }
