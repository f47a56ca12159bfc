export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts what it expects of a body, that is its parser
  body: any
  headers: Headers
}

export type Request = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer>

/** Requests to a service with a key (or with none): any answer is returned, whatever its status. */
export function requestsWith(apiKey: string | undefined, apiUrl: string): Request {
  return async (method, path, body, headers = {}) => {
    const answer = await fetch(apiUrl + path, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(apiKey === undefined ? {} : { 'SVC-API-TOKEN': apiKey }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' || body instanceof Uint8Array ? asBody(body) : JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, body: parse(text), headers: answer.headers }
  }
}

const asBody = (body: string | Uint8Array): string | Buffer => (typeof body === 'string' ? body : Buffer.from(body))

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return text
  }
}

interface OpenApi {
  paths: Record<string, Record<string, Operation>>
}

export interface Example {
  summary: string
  value: unknown
}

interface Operation {
  operationId: string
  security?: Record<string, unknown>[]
  'x-tenancy'?: string
  'x-input-class'?: string
  parameters?: { name: string; in: string; required?: boolean }[]
  requestBody?: { content: Record<string, { schema: unknown; examples?: Record<string, Example> }> }
  responses: Record<string, unknown>
}

export interface NamedOperation extends Operation {
  method: string
  path: string
}

export async function operations(apiUrl: string): Promise<NamedOperation[]> {
  const { body } = await requestsWith(undefined, apiUrl)('GET', '/openapi.json')
  const { paths }: OpenApi = body
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )
}
