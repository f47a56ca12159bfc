import { expect, it } from 'vitest'
import type { Finding } from '../../formats/check.js'
import { statusFinding } from './status-finding.js'

const told = (message: string): Finding => ({
  passed: true,
  reason: 'message',
  explanation: `its issuer says: ${message}`,
})

it.each<[string, number, Finding]>([
  ['message', 0, told('unset')],
  ['message', 1, told('set')],
  ['refresh', 0, { passed: true }],
  ['refresh', 1, { passed: true, reason: 'refresh', explanation: expect.stringContaining('newer') }],
  ['suspension', 0, { passed: true }],
  ['suspension', 2, { passed: false, reason: 'suspended', detail: 'it is suspended' }],
  ['revocation', 0, { passed: true }],
  ['revocation', 1, { passed: false, reason: 'revoked', detail: 'it is revoked' }],
])('in a list of the purpose %s, the status %i says what it means', (purpose, status, finding) => {
  expect(statusFinding(status, { purpose })).toEqual(finding)
})

it('a message is that of the status, where it has one', () => {
  const messageOf = (status: number) => (status === 1 ? 'collected' : undefined)
  expect(statusFinding(1, { purpose: 'message', messageOf })).toEqual(told('collected'))
  expect(statusFinding(2, { purpose: 'message', messageOf })).toEqual(told('set'))
})
