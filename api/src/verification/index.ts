import type { Capability } from '../platform/http/operation.js'
import { verifyCredential } from './verify-credential.js'

export const verification: Capability = { operations: [verifyCredential] }
