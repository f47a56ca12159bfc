import type { Served } from '../platform/http/operation.js'
import { deleteAccount } from './deletion/delete-account.js'
import { deleteData } from './deletion/delete-data.js'
import { getDeletion } from './deletion/get-deletion.js'
import { createErasure } from './erasure/create-erasure.js'
import { getErasure, listErasures } from './erasure/get-erasure.js'
import { listSweptRows } from './retention/list-swept-rows.js'

export const data: Served = {
  operations: [listSweptRows, createErasure, listErasures, getErasure, deleteData, deleteAccount, getDeletion],
}
