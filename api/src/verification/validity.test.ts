import { expect, it } from 'vitest'
import type { Proof } from '../formats/credential-format.js'
import type { Json, JsonObject } from '../formats/json.js'
import { datesOf } from '../formats/json-ld/document-claims.js'
import { documentProofs } from '../formats/json-ld/document-proofs.js'
import { AHEAD_MS } from '../ledger/read/instant.js'
import { instantOf, validity } from './validity.js'

const NOW = new Date('2026-01-31T12:00:00.000Z')
const after = (ms: number): string => new Date(NOW.getTime() + ms).toISOString()

const proofsOf = (proof: JsonObject[]): Proof[] => documentProofs({ proof }, 'assertionMethod')
const reasonOf = (document: JsonObject, ...proofs: JsonObject[]): string | undefined =>
  validity(datesOf(document), proofsOf(proofs), NOW).reason
const signed = { created: after(0) }

it('a date begins when clocks that differ a little may show it, to the millisecond', () => {
  for (const name of ['issuanceDate', 'validFrom']) {
    expect(reasonOf({ [name]: after(AHEAD_MS) }, signed)).toBeUndefined()
    expect(reasonOf({ [name]: after(AHEAD_MS + 1) }, signed)).toBe('not_yet_valid')
  }
  expect(reasonOf({}, signed, { created: after(AHEAD_MS) })).toBeUndefined()
  expect(reasonOf({}, signed, { created: after(AHEAD_MS + 1) })).toBe('signed_later')
})

it('a credential is good until the millisecond before its end', () => {
  for (const name of ['expirationDate', 'validUntil']) {
    expect(reasonOf({ [name]: after(1) }, signed)).toBeUndefined()
    expect(reasonOf({ [name]: after(0) }, signed)).toBe('expired')
  }
  expect(reasonOf({}, signed, { ...signed, expires: after(1) })).toBeUndefined()
  expect(reasonOf({}, signed, { ...signed, expires: after(0) })).toBe('expired')
})

it('both names of a date count', () => {
  expect(reasonOf({ issuanceDate: after(0), validFrom: after(9999) }, signed)).toBe('not_yet_valid')
  expect(reasonOf({ issuanceDate: after(9999), validFrom: after(0) }, signed)).toBe('not_yet_valid')
  expect(reasonOf({ expirationDate: after(1), validUntil: after(-1) }, signed)).toBe('expired')
  expect(reasonOf({ expirationDate: after(-1), validUntil: after(1) }, signed)).toBe('expired')
})

it.each<[string, Json]>([
  ['words', 'soon'],
  ['null', null],
  ['a number', 7],
  ['no zone', '2026-01-31T12:00:00'],
])('a date of %s is none, wherever it stands', (_, date) => {
  for (const name of ['issuanceDate', 'validFrom', 'expirationDate', 'validUntil'])
    expect(reasonOf({ [name]: date }, signed)).toBe('unreadable_date')
  expect(reasonOf({}, signed, { created: date })).toBe('unreadable_date')
  expect(reasonOf({}, { ...signed, expires: date })).toBe('expired')
  expect(reasonOf({}, { ...signed, expires: [after(1), date] })).toBe('expired')
  expect(instantOf(date)).toBeUndefined()
})

it('a proof without a time of signing has no readable date, and a document without proofs has none to read', () => {
  expect(reasonOf({}, signed, {})).toBe('unreadable_date')
  expect(validity(datesOf({}), [], NOW)).toEqual({ passed: true })
})

it('a Data Integrity proof may leave out when it was made, but not say it in another way', () => {
  const proof = { type: 'DataIntegrityProof', cryptosuite: 'eddsa-rdfc-2022' }
  expect(reasonOf({}, proof)).toBeUndefined()
  expect(reasonOf({}, { ...proof, expires: after(0) })).toBe('expired')
  expect(reasonOf({}, { ...proof, created: null })).toBe('unreadable_date')
  expect(reasonOf({}, { ...proof, cryptosuite: 'another' })).toBe('unreadable_date')
})

it('the sentence names the dates', () => {
  const detailOf = (document: JsonObject, created = after(0)) =>
    validity(datesOf(document), proofsOf([{ created }]), NOW).detail
  const [later, past] = [after(9999), after(-9999)]
  expect(detailOf({ validFrom: later })).toBe(`it is valid from ${later}`)
  expect(detailOf({ validUntil: past })).toBe(`it expired on ${past}`)
  expect(detailOf({}, later)).toBe(`it was signed on ${later}`)
})
