import type { Served } from '../platform/http/operation.js'
import { verifyCredential } from './verify-credential.js'

export const verification: Served = { operations: [verifyCredential] }
