/** Classes of SQLSTATE that tell that the server cannot serve now: connections, resources, operators, the system. */
const SQLSTATES = /^(08|53|57|58)[0-9A-Z]{3}$/

const OF_CONNECTIONS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
  'ERR_SOCKET_CLOSED',
])

/** Messages of node-postgres, its pool, and Kysely, which have no code. */
const WORDS = [
  /^Connection terminated/,
  /^Client (has encountered a connection error|was closed) and is not queryable/,
  /^timeout exceeded when trying to connect/,
  /^timeout expired$/,
  /^Query read timeout/,
  /^Cannot use a pool after calling end/,
  /^driver has already been destroyed/,
  /^This socket has been ended by the other party/,
]

const DEPTH = 5

/** Tells whether an error, or its cause, is a server that went away, mostly Postgres: another try may succeed. */
export function isServerGone(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > DEPTH) return false
  const code: unknown = Reflect.get(error, 'code')
  if (typeof code === 'string' && (SQLSTATES.test(code) || OF_CONNECTIONS.has(code))) return true
  // The server ended the connection, or let none begin.
  if (['FATAL', 'PANIC'].includes(String(Reflect.get(error, 'severity')))) return true
  // The socket of a process that does not listen is a file that does not exist.
  if (code === 'ENOENT' && Reflect.get(error, 'syscall') === 'connect') return true
  if (WORDS.some((words) => words.test(error.message))) return true
  const inner = error instanceof AggregateError ? error.errors : []
  return [error.cause, ...inner].some((cause) => isServerGone(cause, depth + 1))
}
