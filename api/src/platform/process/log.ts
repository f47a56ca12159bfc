import { createLog as createJsonLog } from '@accredit/process/log'
import type { DestinationStream, Logger } from 'pino'

const SECRET_HEADERS = [
  'authorization',
  'svc-api-token',
  'svc-web-token',
  'x-mobile-sponsor-key',
  'cookie',
  'idempotency-key',
]

/** Makes a log that never holds keys, tokens, passwords or bodies. */
export function createLog(level: string, name: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    name,
    redact: {
      paths: [
        ...SECRET_HEADERS.map((header) => `headers["${header}"]`),
        'password',
        'token',
        'apiKey',
        'secret',
        '*.password',
        '*.token',
        '*.apiKey',
        '*.secret',
        // Postgres quotes values of rows in them.
        'err.detail',
        'err.where',
      ],
      censor: '[redacted]',
    },
  }
  return createJsonLog(options, destination)
}
