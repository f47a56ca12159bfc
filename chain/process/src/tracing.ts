import { AsyncLocalStorage } from 'node:async_hooks'
import type { Attributes, Span, SpanContext, SpanKind, Tracer } from '@opentelemetry/api'

/**
 * Traces of OpenTelemetry, of all processes. Without OTEL_EXPORTER_OTLP_ENDPOINT no library of it is loaded, and a span
 * is the call of its function alone. The trace of work that another process goes on with travels beside it, as the text
 * of a W3C `traceparent`.
 */

type Api = typeof import('@opentelemetry/api')

interface Running {
  api: Api
  tracer: Tracer
  active: AsyncLocalStorage<Span>
}

let running: Running | undefined

export interface Tracing {
  /** Sends what is left. */
  stop(): Promise<void>
}

/** The time for which the end of a process waits for its last spans to be taken. */
const LAST_SPANS_MS = 2_000

/**
 * Starts to send spans where there is a receiver: the library reads OTEL_EXPORTER_OTLP_ENDPOINT, and its other settings,
 * from the environment.
 */
export async function startTracing(service: string, hasReceiver: boolean): Promise<Tracing> {
  if (!hasReceiver) return { stop: async () => undefined }
  const [api, sdk, exporter, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ])
  const names = { 'service.name': service, 'service.namespace': 'accredit' }
  const provider = new sdk.BasicTracerProvider({
    resource: resources.defaultResource().merge(resources.resourceFromAttributes(names)),
    spanProcessors: [new sdk.BatchSpanProcessor(new exporter.OTLPTraceExporter())],
  })
  running = { api, tracer: provider.getTracer('accredit'), active: new AsyncLocalStorage() }
  return {
    async stop() {
      running = undefined
      // A receiver that does not answer holds up no end.
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, LAST_SPANS_MS)
      })
      await Promise.race([provider.shutdown().catch(() => undefined), late])
      clearTimeout(timer)
    },
  }
}

export const isTracing = (): boolean => running !== undefined

export interface SpanOptions {
  /** The work that it belongs to, in another process or an earlier moment; default: the span around it. */
  parent?: string | null | undefined
  kind?: keyof typeof SpanKind
  /** Ids, names and counts: never personal data, nor a secret. */
  attributes?: Attributes
}

/** Runs work as a span. A failure is the span's status, without its message. */
export async function inSpan<T>(name: string, options: SpanOptions, run: () => Promise<T>): Promise<T> {
  const begun = beginSpan(name, options)
  if (begun === undefined) return run()
  try {
    return await begun.within(run)
  } catch (error) {
    begun.end({ hasFailed: true })
    throw error
  } finally {
    begun.end()
  }
}

export interface BegunSpan {
  /** Runs something of which the span is the parent. */
  within<T>(run: () => T): T
  /** Ends it; a second call changes nothing. */
  end(how?: { hasFailed?: boolean; attributes?: Attributes }): void
}

/** Begins a span that somebody ends; undefined where nothing is traced. */
export function beginSpan(name: string, options: SpanOptions = {}): BegunSpan | undefined {
  if (running === undefined) return undefined
  const { api, active } = running
  const span = startSpan(running, name, options)
  let isOver = false
  return {
    within: (inside) => active.run(span, inside),
    end({ hasFailed = false, attributes } = {}) {
      if (isOver) return
      isOver = true
      if (attributes) span.setAttributes(attributes)
      if (hasFailed) span.setStatus({ code: api.SpanStatusCode.ERROR })
      span.end()
    },
  }
}

/** Notes a span of each of these parents that began at `since`, and ends now: of work that was done for many at once. */
export function noteSpans(
  name: string,
  since: number,
  spans: readonly (Omit<SpanOptions, 'parent'> & { parent: string | null | undefined })[],
): void {
  if (running === undefined) return
  for (const { parent, ...options } of spans) if (parent) startSpan(running, name, { ...options, parent }, since).end()
}

function startSpan(
  { api, tracer, active }: Running,
  name: string,
  { parent, kind = 'INTERNAL', attributes = {} }: SpanOptions,
  startTime?: number,
): Span {
  const context = parent ? contextIn(parent) : active.getStore()?.spanContext()
  const around = context ? api.trace.setSpanContext(api.ROOT_CONTEXT, context) : api.ROOT_CONTEXT
  const options = { kind: api.SpanKind[kind], attributes, ...(startTime !== undefined && { startTime }) }
  return tracer.startSpan(name, options, around)
}

/** Returns the `traceparent` of the span around the caller; undefined where there is none. */
export function traceparent(): string | undefined {
  const context = running?.active.getStore()?.spanContext()
  if (context === undefined) return undefined
  return `00-${context.traceId}-${context.spanId}-${context.traceFlags.toString(16).padStart(2, '0')}`
}

const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/

/** Reads a `traceparent` (W3C Trace Context, version 00); undefined: it is none. */
function contextIn(text: string): SpanContext | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(text) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
}

/** Tells whether a text from elsewhere is a `traceparent`. */
export const isTraceparent = (text: string): boolean => TRACEPARENT.test(text)
