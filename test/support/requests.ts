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

/** The operations that a person’s session opens, and no key. */
const OF_SESSIONS =
  /^(POST \/(auth\/sessions|data\/onboarding|teams|teams\/accept-member-invite|keys\/temporary-key)|DELETE \/auth\/sessions)$/

/**
 * Requests to a service with a key (or with none): any answer is returned, whatever its status.
 *
 * @param newSession gives a session for each request that a key does not open
 */
export function requestsWith(apiKey: string | undefined, apiUrl: string, newSession?: () => Promise<string>): Request {
  return async (method, path, body, headers = {}) => {
    const session = OF_SESSIONS.test(`${method} ${path.split('?')[0]}`) ? await newSession?.() : undefined
    const answer = await fetch(apiUrl + path, {
      method,
      headers: {
        'content-type': 'application/json',
        ...keyOf(apiKey, session),
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

function keyOf(apiKey: string | undefined, session: string | undefined): Record<string, string> {
  if (session !== undefined) return { 'SVC-WEB-TOKEN': session }
  return apiKey === undefined ? {} : { 'SVC-API-TOKEN': apiKey }
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

/** Tells whether a wallet has to sign the request, which is good once: that door has tests of its own. */
export const isOfSponsors = ({ security = [] }: NamedOperation): boolean =>
  security.some((scheme) => 'sponsorKey' in scheme)

/** The operations whose good requests end the caller: their own tests make a team for that. */
const ENDING = new Set(['deleteData', 'deleteAccount'])
export const isOfEnding = ({ operationId }: NamedOperation): boolean => ENDING.has(operationId)

export async function operations(apiUrl: string): Promise<NamedOperation[]> {
  const { body } = await requestsWith(undefined, apiUrl)('GET', '/openapi.json')
  const { paths }: OpenApi = body
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )
}
