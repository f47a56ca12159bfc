import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { didKey, encodeBase58, hexOf } from '@accredit/chain'
import { expect } from 'vitest'
import type { Answer, TestService } from '../../credentials/loop.testing.js'
import type { Json, JsonObject } from '../../formats/json.js'
import { type TestTeam, testTeam } from '../../platform/testing/scratch-database.js'
import { sweepPendingSignatures } from './pending-signatures.js'

/** A DID whose key is not with the service. */
export interface Convener {
  did: string
  key: KeyObject
}

export interface Founded {
  team: TestTeam
  convener: Convener
  id: string
  url: string
}

/** A team with a DID whose key the service has. */
export interface Guest {
  team: TestTeam
  did: string
}

/** The hash of a schema that many of the registries have, each its own. */
export const schema = hexOf(randomBytes(32))
export const govFramework = 'https://example.org/rules'

export const WAITS = { status: 'in_progress', result: { waitingFor: 'convener' } }
export const jobOf = (answer: Answer): string => answer.header('accredit-job') ?? ''

export function newConvener(): Convener {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')
  const did = didKey({ kind: 'Ed25519', publicKey: hexOf(raw) })
  if (did === undefined) throw new TypeError('an Ed25519 key is a did:key')
  return { did, key: privateKey }
}

/** A convener's key as a wallet holds it. */
export function walletOf({ did, key }: Convener): JsonObject {
  const { d = '', x = '' } = key.export({ format: 'jwk' })
  const [secret, publicKey] = [Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')]
  return {
    id: `${did}#key`,
    type: 'Ed25519VerificationKey2018',
    controller: did,
    publicKeyBase58: encodeBase58(publicKey),
    privateKeyBase58: encodeBase58(Buffer.concat([secret, publicKey])),
  }
}

const DAY_MS = 86_400_000

/** Registries whose conveners sign themselves, over a real ledger. */
export class OwnKeys {
  constructor(readonly service: TestService) {}

  team = (): Promise<TestTeam> => testTeam(this.service.scratch.db)

  call = (team: TestTeam, method: string, url: string, body?: Json): Promise<Answer> =>
    this.service.call(method, url, body, team.apiKey)

  /** Lets the convener sign and a team submit an action, and waits until it is final. */
  signed = (team: TestTeam, convener: Convener, action: string, params: JsonObject): Promise<void> =>
    this.signedTogether(team, convener, [{ action, params }])

  /** Does the same for several actions, of which all happen or none. */
  async signedTogether(team: TestTeam, { did, key }: Convener, actions: JsonObject[]): Promise<void> {
    const wish = { actions, did, keyId: 0 }
    const { body } = await this.call(team, 'POST', '/ledger/actions/prepare', wish)
    expect(body).toMatchObject({ payload: expect.any(String) })
    const signature = sign(null, Buffer.from(body.payload.slice(2), 'hex'), key).toString('hex')
    const brought = await this.call(team, 'POST', '/ledger/actions', { ...wish, signature })
    expect(await this.service.finished(brought.body.id, team.apiKey)).toBe('finalized')
  }

  async founded(): Promise<Founded> {
    const [team, convener, id] = [await this.team(), newConvener(), hexOf(randomBytes(32))]
    const texts = { name: 'Kenya', govFramework }
    await this.signed(team, convener, 'TrustRegistry.init_or_update_trust_registry', { registryId: id, ...texts })
    return { team, convener, id, url: `/trust-registries/${id}` }
  }

  waiting = async ({ team, url }: Founded) => (await this.call(team, 'GET', `${url}/waiting-actions`)).body

  /** Signs all pending actions of the convener, one after the other, each as the service tells it then. */
  async signAll(registry: Founded): Promise<void> {
    const { total } = await this.waiting(registry)
    for (let left = total; left > 0; left--) await this.signOldest(registry)
  }

  async signOldest(registry: Founded): Promise<void> {
    const { did, actions } = (await this.waiting(registry)).list.at(-1)
    expect(did).toBe(registry.convener.did)
    await this.signedTogether(registry.team, registry.convener, actions)
  }

  profile = (team: TestTeam, did: string, name: string): Promise<Answer> =>
    this.call(team, 'POST', '/profiles', { did, name, description: 'x', logo: 'https://example.org/logo.png' })

  async guest(): Promise<Guest> {
    const team = await this.team()
    const did = await this.service.did(team.apiKey)
    expect((await this.profile(team, did, 'University')).status).toBe(200)
    return { team, did }
  }

  async invite({ team, url }: Founded, schema: string): Promise<string> {
    const { body } = await this.call(team, 'POST', `${url}/participants`, { issuerSchemas: [schema] })
    return String(body.link).split('?token=')[1] ?? ''
  }

  accept = ({ team, did }: Guest, token: string): Promise<Answer> =>
    this.call(team, 'POST', '/trust-registries/invitations/accept', { token, did, infoUrl: '' })

  /** Gives up the actions that nobody signed in time, as after some days. */
  sweepIn = (days: number): Promise<void> =>
    sweepPendingSignatures({
      ...this.service.loop.environment,
      clock: { now: () => new Date(Date.now() + days * DAY_MS) },
    })

  job = async (team: TestTeam, id: string) => (await this.call(team, 'GET', `/jobs/${id}`)).body
  participants = async ({ team, url }: Founded) => (await this.call(team, 'GET', `${url}/participants`)).body
}
