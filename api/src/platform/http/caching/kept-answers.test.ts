import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { type Operation, operation } from '../operation.js'
import { type KeptAnswer, KeptAnswers } from './kept-answers.js'

const given = {
  method: 'GET',
  url: '/thing',
  operationId: 'getThing',
  tags: [],
  summary: '',
  auth: 'public',
  tenancy: 'public',
  response: { 200: Type.Any() },
  handler: async () => ({}),
} as const
const read: Operation = operation(given)
interface Asked {
  method: string
  originalUrl: string
  ignored: string[]
}
const asked: Asked = { method: 'GET', originalUrl: '/thing?at=7', ignored: [] }
const FOR_EVER = { 'cache-control': 'public, max-age=86400, immutable' }
const settled: KeptAnswer = { content: '{"block":7}', headers: FOR_EVER }

/** Tells whether an answer is given again. */
function isKept(op: Operation, request: Asked, answer: KeptAnswer): boolean {
  const kept = new KeptAnswers()
  kept.keep(op, request, answer)
  return kept.find(op, request) !== undefined
}

test('an answer that is called immutable is given again to the same address, and to no other', () => {
  const kept = new KeptAnswers()
  kept.keep(read, asked, settled)
  expect(kept.find(read, asked)).toEqual(settled)
  expect(kept.find(read, { ...asked, originalUrl: '/thing?at=8' })).toBe(undefined)
  expect(kept.find(read, { ...asked, method: 'HEAD' })).toBe(undefined)
})

test.each([
  'no-cache',
  'no-store',
  'public, max-age=86400',
  'private, max-age=86400, immutable',
  'max-age=86400, immutable',
  undefined,
])('an answer with Cache-Control %s, as one about the present has, is asked for anew', (control) => {
  const headers: Record<string, string> = control === undefined ? {} : { 'cache-control': control }
  expect(isKept(read, asked, { ...settled, headers })).toBe(false)
})

test('an answer about the present is kept with the state that it stands on', () => {
  const present = { ...settled, headers: { 'cache-control': 'no-cache' }, state: '0x07' }
  const kept = new KeptAnswers()
  kept.keep(read, asked, present)
  expect(kept.find(read, asked)).toEqual(present)
  expect(isKept(read, asked, { ...present, headers: { vary: 'Accept-Language' } })).toBe(false)
})

test('nothing is kept that is for one caller, in one of several forms, that changes something, or that ignored a part', () => {
  expect(isKept(read, asked, settled)).toBe(true)
  const others: Operation[] = [
    operation({ ...given, auth: 'key', role: 'member', tenancy: 'owned' }),
    operation({ ...given, auth: 'optional', role: 'member' }),
    operation({ ...given, mediaTypes: ['application/json', 'text/csv'] }),
    operation({ ...given, method: 'POST' }),
  ]
  for (const op of others) expect(isKept(op, asked, settled), op.auth).toBe(false)
  expect(isKept(read, { ...asked, ignored: ['/other'] }, settled)).toBe(false)
  expect(isKept(read, asked, { ...settled, headers: { ...FOR_EVER, vary: 'Accept-Language' } })).toBe(false)
  expect(isKept(read, asked, { ...settled, content: 'x'.repeat(16_001) })).toBe(false)
})
