import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import type { TestTeam } from './scratch-database.js'

/** A request with a team's key, or without one; text is sent as the JSON that it is, or is not. */
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
