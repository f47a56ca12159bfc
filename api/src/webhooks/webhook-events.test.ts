import { Check } from 'typebox/schema'
import { expect, test } from 'vitest'
import { capabilities } from '../capabilities.js'
import { openApiDocument } from '../platform/http/reference/openapi.js'
import { sentEvents } from './sent-events.js'
import { WEBHOOK_EVENT_NAMES, WEBHOOK_EVENTS } from './webhook-events.js'

/** Each event with the members of its data; `?` where one may be absent, `-` before a name that is not sent yet. */
const LOCKED = `
credential_create: id signingOps byteSize key credential?
credential_issued: id signingOps byteSize key credential?
credential_revoke: status encodedTx result
credential_unrevoke: status encodedTx result
did_create: status encodedTx result userData
did_update_key: status encodedTx result userData
did_update_controller: status encodedTx result userData
did_delete: status encodedTx result userData
registry_create: status encodedTx result
registry_delete: status encodedTx result
schema_create: status id
-anchor_create: status encodedTx result
-proof_submitted: id verified
-didcomm_message_received: messageId to messageType sender receivedAt
-credential_offer_accepted: id
-credential_received: id holder
trust_registry_create: id convener name actor block time
trust_registry_update: id convener name actor block time
trust_registry_transfer_propose: id convener name proposedConvener actor block time
trust_registry_transfer: id convener name formerConvener actor block time
trust_registry_delete: id convener name actor block time
trust_registry_schema_create: registryId schemaId actor block time
trust_registry_schema_update: registryId schemaId isPublic actor block time
trust_registry_schema_delete: registryId schemaId actor block time
participant_create: registryId did issuerSchemas verifierSchemas actor block time
participant_update: registryId did issuerSchemas verifierSchemas actor block time
participant_delete: registryId did issuerSchemas verifierSchemas actor block time
participant_suspend: registryId did actor block time
participant_reinstate: registryId did actor block time
participant_deactivate: registryId did actor block time
delegation_create: registryId issuer delegate actor block time
delegation_delete: registryId issuer delegate actor block time
invitation_accept: id registryId did
invitation_decline: id registryId
team_invitation_accept: id memberId role
team_member_create: id role
team_member_update: id role formerRole
team_member_delete: id role
key_expiring: id expires
team_invitation_expiring: id expires
invitation_expiring: id registryId expires
-credential_offer_expiring: id expires
status_list_filling: id used length
webhook_disabled: id reason failingSince
webhook_test: id`

test('names, shapes and order of the events are those that receivers were told of', () => {
  const lines = WEBHOOK_EVENT_NAMES.map((name) => {
    const { data, isFired } = WEBHOOK_EVENTS[name]
    const { required, properties } = JSON.parse(JSON.stringify(data))
    const members = Object.keys(properties).map((member) => `${member}${required.includes(member) ? '' : '?'}`)
    return `${isFired ? '' : '-'}${name}: ${members.join(' ')}`
  })
  expect(`\n${lines.join('\n')}`).toBe(LOCKED)
})

test('the events that are told as sent are those that capabilities send', () => {
  const fired = WEBHOOK_EVENT_NAMES.filter((name) => WEBHOOK_EVENTS[name].isFired)
  expect(fired.sort()).toEqual(capabilities.flatMap(({ events = [] }) => events).sort())
})

test('the reference describes each event under webhooks, in this order, with its body', () => {
  const config = { apiUrl: 'https://accredit.example', environment: 'sandbox' } as const
  const { webhooks = {} } = JSON.parse(JSON.stringify(openApiDocument([], config, sentEvents)))
  expect(Object.keys(webhooks)).toEqual(WEBHOOK_EVENT_NAMES)
  const { post } = webhooks.did_create
  const { schema } = post.requestBody.content['application/json']
  const data = { status: 'finalized', encodedTx: '0x00', result: { InBlock: '0x00' }, userData: 'did:svc:a' }
  expect(Check(schema, { token: 't', event: 'did_create', data })).toBe(true)
  expect(Check(schema, { token: 't', event: 'did_delete', data })).toBe(false)
  expect(Check(schema, { token: 't', event: 'did_create', data: { ...data, status: 'pending' } })).toBe(false)
  expect(webhooks.proof_submitted.post).toMatchObject({
    'x-sent': false,
    summary: expect.stringMatching(/not sent yet/),
  })
})
