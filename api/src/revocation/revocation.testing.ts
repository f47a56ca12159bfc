import type { EncodedCall } from '@accredit/chain'
import { expect } from 'vitest'
import { type Answer, TestService } from '../credentials/loop.testing.js'
import { actingKey } from '../dids/did.store.js'
import { isObject, type Json } from '../formats/json.js'
import { startJob } from '../ledger/write/start-job.js'
import { forAllTests } from '../platform/testing/for-all-tests.js'
import { decodeStatusList } from '../status/status-list/encoded-list.js'
import { dispatch } from './dispatch.js'

/** A DID that signs, its registry on the ledger, and what tests do to registries and their lists. */
export function revocationWorld() {
  const opened = forAllTests(async () => {
    const service = await TestService.open()
    const did = await service.did()
    const { id } = (await make(service, { policy: [did] })).body.data
    return { service, did, registry: String(id), close: () => service.close() }
  })
  return {
    get service() {
      return opened().service
    },
    get did() {
      return opened().did
    },
    get registry() {
      return opened().registry
    },
    made: (body: Json): Promise<Answer> => make(opened().service, body),
    async change(id: string, action: string, credentialIds: string[]): Promise<Answer> {
      const { service } = opened()
      const answer = await service.call('POST', `/registries/${id}`, { action, credentialIds })
      if (answer.status === 200) expect(await service.finished(answer.body.id)).toBe('finalized')
      return answer
    },
    listOf: (id: string, query = ''): Promise<Answer> =>
      opened().service.call('GET', `/status-lists/${id}${query}`, undefined, ''),
  }
}

/** Makes a registry, and waits until it is on the ledger. */
async function make(service: TestService, body: Json): Promise<Answer> {
  const answer = await service.call('POST', '/registries', body)
  if (answer.status === 200) await service.finished(answer.body.id)
  return answer
}

/**
 * Lets a DID of the service make a call that no operation takes, as somebody would who has its key too.
 * @returns the job
 */
export async function actElsewhere({ scratch, team, loop }: TestService, did: string, call: EncodedCall) {
  const scope = { teams: [team.team], actor: 'a test' } as const
  return scratch.db.transaction(scope, async (tx) => {
    const parts = [{ did, action: dispatch(await actingKey(tx, did), call) }]
    return startJob(tx, { ...loop.environment, team: team.team }, { kind: 'a test', parts })
  })
}

/** The bits of a status list credential. */
export async function bits(body: Json): Promise<Uint8Array | undefined> {
  const encoded = isObject(body) && isObject(body.credentialSubject) ? body.credentialSubject.encodedList : ''
  return decodeStatusList(String(encoded))
}
