/** Routes for dry runs, payloads to sign and throwaway keys. They store nothing, so nothing stands in the audit. */
import type { FastifyInstance } from 'fastify'
import type { DryRuns } from '../actions/dry-run.js'
import type { Guard } from '../capabilities.js'
import type { ThrowawayKeys } from '../keys/throwaway-keys.js'
import * as wire from '../wire.js'
import * as dry from '../wire-dry-run.js'
import { post } from './typed-route.js'

export interface DryRunRooms {
  guard: Guard
  dryRuns: DryRuns
  throwaway: ThrowawayKeys
}

export function addDryRunRoutes(app: FastifyInstance, { guard, dryRuns, throwaway }: DryRunRooms) {
  post(app, '/dry-run', dry.DryRunRequest, async (request) => {
    guard.take('act', request.actions.length)
    return { outcomes: await dryRuns.run(request) }
  })
  post(app, '/dry-run/keys', wire.MakeKeysRequest, async ({ kinds, handle, share }) => {
    guard.take('keys', 1)
    return { keys: await throwaway.make(kinds, share ?? handle) }
  })
  post(app, '/dry-run/keys/import', wire.ImportKeysRequest, async (request) => {
    guard.take('keys', 1)
    return { keys: await throwaway.import(request.keys) }
  })
  post(app, '/dry-run/sign', wire.SignRequest, async ({ requests }) => {
    guard.take('sign', requests.length)
    const signed = requests.map(({ keyRef, bytes }) => throwaway.sign(keyRef, Buffer.from(bytes, 'base64')))
    return { results: signed.map((signature) => ({ signature: signature.toString('base64') })) }
  })
  post(app, '/prepare', dry.PrepareRequest, async (request) => {
    guard.take('act', 1)
    return dryRuns.prepare(request)
  })
}
