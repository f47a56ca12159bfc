const INFO = 30
/** The levels as pino counts them, by the words of PostgreSQL. */
const SEVERITIES: Record<string, number> = { WARNING: 40, ERROR: 50, FATAL: 60, PANIC: 60 }

/**
 * Returns a line of a process as JSON: as it is where it tells its level, time and name, else with these; text is its
 * message.
 */
export function logLine(name: string, text: string): string {
  const parsed = parseObject(text)
  if (parsed && 'level' in parsed && 'time' in parsed && 'name' in parsed) return text
  const head = { level: INFO, time: new Date().toISOString(), name }
  if (parsed) return JSON.stringify({ ...head, ...parsed })
  const [, severity = ''] = /\b(WARNING|ERROR|FATAL|PANIC):/.exec(text) ?? []
  return JSON.stringify({ ...head, level: SEVERITIES[severity] ?? INFO, msg: text })
}

/** Reads a line of a log for a person: the message of a structured line, or the line itself; no stack frames. */
export function sentenceOf(line: string): string {
  const parsed = parseObject(line)
  if (parsed) return [parsed.msg, messageIn(parsed.err)].filter((part) => typeof part === 'string').join(': ')
  return /^\s*at |^\s*$|^Node\.js v/.test(line) ? '' : line.trim()
}

const messageIn = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'message' in value ? value.message : undefined

export function parseObject(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
