import pg from 'pg'
import type { Logger } from 'pino'

/** The payload that was heard; undefined: anything may have been missed. */
export type Heard = { channel: string; payload?: string | undefined } | undefined

export interface Listener {
  close(): Promise<void>
}

const RETRY_MS = 500

/**
 * Calls `heard` for notifications on the channels; connects again when the connection dies, and calls `heard` then too.
 */
export function listen(url: string, channels: readonly string[], heard: (what: Heard) => void, log: Logger): Listener {
  let client: pg.Client | undefined
  let retry: NodeJS.Timeout | undefined
  let closed = false

  const reconnect = (): void => {
    client = undefined
    if (!closed) retry ??= setTimeout(() => void connect(), RETRY_MS)
  }

  async function connect(): Promise<void> {
    retry = undefined
    const next = new pg.Client({ connectionString: url, application_name: 'accredit-listen', keepAlive: true })
    next.on('notification', heard)
    next.on('error', (error) => log.warn({ err: error }, 'the connection for notifications was lost'))
    next.once('end', reconnect)
    client = next
    try {
      await next.connect()
      for (const channel of channels) await next.query(`listen ${next.escapeIdentifier(channel)}`)
      heard(undefined)
    } catch (error) {
      if (!closed) log.warn({ err: error }, 'no connection for notifications')
      await next.end().catch(() => undefined)
      reconnect()
    }
  }

  void connect()
  return {
    async close() {
      closed = true
      clearTimeout(retry)
      await client?.end()
    },
  }
}
