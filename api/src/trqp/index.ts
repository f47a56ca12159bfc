import type { Capability } from '../platform/http/operation.js'
import { queryAuthorization } from './query-authorization.js'
import { queryRecognition } from './query-recognition.js'

export const trqp: Capability = { operations: [queryAuthorization, queryRecognition] }
