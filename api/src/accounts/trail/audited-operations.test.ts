import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { allServed } from '../../platform/testing/all-served.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const texts = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !/\.test(ing)?\.ts$/.test(file))
  .map((file) => readFileSync(join(root, file), 'utf8'))
/** Tells whether a row of this name is written anywhere. That it has members before or after is checked by its type. */
const audited = (name: string): boolean =>
  texts.some((text) => text.includes('audit(') && new RegExp(`action:[^\\n]*'${name}'`).test(text))

/** Operations whose rows have another name, which tells what was done. */
const NAMED: Record<string, string> = {
  createTemporaryKey: 'createKey',
  rotateKey: 'createKey',
  deleteKey: 'revokeKey',
  inviteTeamMembers: 'inviteTeamMember',
  importDidDocument: 'importDid',
  issueVcApiCredential: 'issueCredential',
  // Their rows are named by what is done: `${action}Credential`.
  revokeCredential: 'issueCredential',
  unrevokeCredential: 'issueCredential',
  changeVcApiStatus: 'issueCredential',
  changeWalletRevocations: 'changeDelegatableStatus',
}

/** Operations that change nothing of a team, or nothing that would outlive the row. */
const CHANGING_NOTHING: Record<string, string> = {
  createSignInLink: 'nobody is known before the link is used',
  snoozeInvitation: 'nothing changes',
  markNotificationsRead: 'it is about the reader, and changes nothing of the team',
  prepareLedgerAction: 'nothing changes before it is signed',
  deleteData: 'the audit goes with the team',
  verifyCredential: 'it reads',
  verifyVcApiCredential: 'it reads',
  verifyVcApiPresentation: 'it reads',
  queryAuthorization: 'it reads',
  queryGraphql: 'it reads',
  queryLedger: 'it reads',
  queryRecognition: 'it reads',
  queryTrustRegistries: 'it reads',
}

const changing = allServed.flatMap(({ operations }) => operations).filter(({ method }) => method !== 'GET')

test.each(changing.map(({ operationId }) => operationId))('%s leaves a row in the audit, or says why not', (name) => {
  if (Object.hasOwn(CHANGING_NOTHING, name)) return expect(audited(name)).toBe(false)
  expect([name, audited(NAMED[name] ?? name)]).toEqual([name, true])
})

test('every exception is an operation', () => {
  const names = changing.map(({ operationId }) => operationId)
  const exceptions = [...Object.keys(NAMED), ...Object.keys(CHANGING_NOTHING)]
  expect(exceptions.filter((name) => !names.includes(name))).toEqual([])
})
