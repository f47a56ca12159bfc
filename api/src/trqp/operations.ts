import type { Served } from '../platform/http/operation.js'
import { queryAuthorization } from './query-authorization.js'
import { queryRecognition } from './query-recognition.js'

export const trqp: Served = { operations: [queryAuthorization, queryRecognition] }
