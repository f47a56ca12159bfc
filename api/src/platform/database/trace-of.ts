import { traceparent } from '@accredit/process/tracing'
import type { Scope } from './database.js'

/**
 * Returns the trace that work of a scope belongs to: that of its request, since requests of one moment are stored by one
 * of them; without one, that of the span around the caller.
 */
export const traceOf = (scope: Scope): string | null =>
  (typeof scope === 'object' ? scope.trace : undefined) ?? traceparent() ?? null
