import type { FastifyInstance } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/schema'
import { SignerError } from '../errors.js'

/** A route whose body has been checked when `handle` sees it. */
export function post<Body extends TSchema>(
  app: FastifyInstance,
  path: string,
  body: Body,
  handle: (body: Static<Body>) => Promise<object>,
) {
  const validator = Compile(body)
  app.post(path, async (request) => {
    const given: unknown = request.body
    if (validator.Check(given)) return handle(given)
    const [, [first]] = validator.Errors(given)
    throw new SignerError(
      400,
      'invalid_request',
      `${first?.instancePath || 'body'} ${first?.message ?? 'is malformed'}`,
    )
  })
}
