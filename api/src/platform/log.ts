import { type DestinationStream, type Logger, pino } from 'pino'

const SECRET_HEADERS = [
  'authorization',
  'svc-api-token',
  'svc-web-token',
  'x-mobile-sponsor-key',
  'cookie',
  'idempotency-key',
]

/** Structured logs, one JSON object a line. Keys, tokens, passwords and bodies never stand in them. */
export function createLog(level: string, name: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    name,
    redact: {
      paths: [
        ...SECRET_HEADERS.map((header) => `headers["${header}"]`),
        ...['password', 'token', 'apiKey', 'secret', '*.password', '*.token', '*.apiKey', '*.secret'],
      ],
      censor: '[redacted]',
    },
    timestamp: pino.stdTimeFunctions.isoTime,
  }
  return destination ? pino(options, destination) : pino(options)
}

const SECRET_QUERY = new Set(['password', 'p', 'token', 'apikey', 'secret', 'code'])

/** A URL as it may stand in a log. */
export const loggableUrl = (url: string): string =>
  url.replace(/([?&])([^=&#?]*)=[^&#]*/g, (member: string, before: string, name: string) =>
    isSecret(name) ? `${before}${name}=[redacted]` : member,
  )

/** The router decodes names, so `%70assword` is a password; one that does not decode may be anything. */
function isSecret(name: string): boolean {
  try {
    return SECRET_QUERY.has(decodeURIComponent(name).toLowerCase())
  } catch {
    return true
  }
}
