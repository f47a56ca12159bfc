/** One way to exhaust a service; all of it goes over connections from one address. */
export interface Attack {
  /**
   * `flood`: each connection sends a request, reads its answer, and sends the next. `unread`: requests are sent for as
   * long as the connection takes them, and no answer is read. `slow`: the head of a request comes at once, its body
   * byte by byte. `leave`: each request has a connection of its own, which is closed as soon as it was sent.
   */
  kind: 'flood' | 'unread' | 'slow' | 'leave'
  /** Sent in turn. */
  requests: AttackRequest[]
}

export interface AttackRequest {
  method: string
  path: string
  body?: string
  /**
   * The part of its answer that proves that it reached its aim: a status, or a check of a verification with `passed` or
   * its reason after it.
   */
  reaches?: string
}

export interface AttackOrder extends Attack {
  port: number
  address: string
  apiKey: string
  connections: number
  seconds: number
}

/** Counts of answers by status; `cut` counts connections that the service ended. */
export type AttackOutcome = Record<string, number>
