import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import type { TestTeam } from './scratch-database.js'

/**
 * Sends a request with a team's key, or without one; a text is sent unchanged as the body, whether it is JSON or not.
 */
export const requestAs = (
  app: FastifyInstance,
  team: Pick<TestTeam, 'apiKey'> | undefined,
  method: string,
  url: string,
  payload?: object | string,
  headers: Record<string, string> = {},
): Promise<LightMyRequestResponse> =>
  app.inject({
    method: method as 'GET',
    url,
    headers: {
      ...(team && { 'svc-api-token': team.apiKey }),
      ...(payload !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(payload !== undefined && { payload }),
  })
