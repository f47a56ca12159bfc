import { expect } from 'vitest'
import type { Answer, TestService } from '../credentials/loop.testing.js'
import { isObject, type Json } from '../suites/json.js'
import { decodeStatusList } from '../suites/status-list.js'

/** What tests do to registries and their lists. */
export class TestRegistries {
  constructor(private readonly service: TestService) {}

  /** Makes one, and waits until it is on the ledger. */
  async made(body: Json): Promise<Answer> {
    const answer = await this.service.call('POST', '/registries', body)
    if (answer.status === 200) await this.service.finished(answer.body.id)
    return answer
  }

  async change(id: string, action: string, credentialIds: string[]): Promise<Answer> {
    const answer = await this.service.call('POST', `/registries/${id}`, { action, credentialIds })
    if (answer.status === 200) expect(await this.service.finished(answer.body.id)).toBe('finalized')
    return answer
  }

  listOf(id: string, query = ''): Promise<Answer> {
    return this.service.call('GET', `/status-lists/${id}${query}`, undefined, '')
  }
}

/** The bits of a status list credential. */
export async function bits(body: Json): Promise<Uint8Array | undefined> {
  const encoded = isObject(body) && isObject(body.credentialSubject) ? body.credentialSubject.encodedList : ''
  return decodeStatusList(String(encoded))
}
