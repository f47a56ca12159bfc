import { expect, test } from 'vitest'
import { doubtOf } from './council/final-block.js'
import { keysInEffect, type SessionState } from './council/keys-in-effect.js'

/** The keys that may be deleted, over states of a ledger. */
const OWN = { aura: '0x01', grandpa: '0x02' }
const NEW = { aura: '0x03', grandpa: '0x04' }
const OTHER = { aura: '0x05', grandpa: '0x06' }

/** Two validators whose keys stay the same. */
const SETTLED: SessionState = {
  listed: ['one', 'other'],
  signing: ['one', 'other'],
  authors: [OWN.aura, OTHER.aura],
  voters: [
    [OWN.grandpa, 1],
    [OTHER.grandpa, 1],
  ],
  pendingChange: null,
  queued: new Map([
    ['one', OWN],
    ['other', OTHER],
  ]),
  named: new Map([
    ['one', OWN],
    ['other', OTHER],
  ]),
  sessionBlocks: 10,
}

/** The validators of which older keys may be deleted. */
const mayDelete = (state: Partial<SessionState>, doubt: string | null = null) =>
  keysInEffect({ ...SETTLED, ...state }, 25, doubt)
    .validators.filter(({ mayDeleteOlder }) => mayDeleteOlder)
    .map(({ account }) => account)

test('older keys may be deleted where all stay the same, in a state of now', () => {
  expect(mayDelete({})).toEqual(['one', 'other'])
  expect(keysInEffect(SETTLED, 25, null).sessionEnds).toEqual({ next: 30, afterNext: 40 })
  expect(mayDelete({}, 'it is old')).toEqual([])
})

test.each<[string, Partial<SessionState>]>([
  ['a change of voters is still to come', { pendingChange: { scheduledAt: 20, delay: 0, nextAuthorities: [] } }],
  ['there are fewer authors than validators', { authors: [OWN.aura] }],
  ['there are more authors than validators', { authors: [OWN.aura, OTHER.aura, NEW.aura] }],
  ['there are fewer voters than validators', { voters: [[OWN.grandpa, 1]] }],
  [
    'there are more voters than validators',
    {
      voters: [
        [OWN.grandpa, 1],
        [OTHER.grandpa, 1],
        [NEW.grandpa, 1],
      ],
    },
  ],
])('no key of anybody may be deleted while %s', (_, state) => {
  expect(mayDelete(state)).toEqual([])
})

const withOwn = (keys: unknown) => new Map<string, unknown>([...SETTLED.named, ['one', keys]])

test.each<[string, Partial<SessionState>]>([
  ['signs with others', { authors: [NEW.aura, OTHER.aura] }],
  ['has others queued', { queued: new Map([...SETTLED.queued, ['one', NEW]]) }],
  ['has none queued', { queued: new Map([['other', OTHER]]) }],
  ['has named others', { named: withOwn(NEW) }],
  ['has named another key for votes alone', { named: withOwn({ ...OWN, grandpa: NEW.grandpa }) }],
  ['has named another key for blocks alone', { named: withOwn({ ...OWN, aura: NEW.aura }) }],
  ['has named none', { named: withOwn(null) }],
  ['is off the list', { listed: ['other'], named: new Map([['other', OTHER]]) }],
])('no key of a validator may be deleted that %s, and those of the other one may', (_, state) => {
  expect(mayDelete(state)).toEqual(['other'])
})

test('a state is that of now where its block is a minute old at most, and none ahead of the clock', () => {
  const now = 1_000_000
  const isDoubted = (time: number | null) => doubtOf(time, now) !== null
  expect([now - 60_000, now, now + 10_000].map(isDoubted)).toEqual([false, false, false])
  expect([now - 60_001, now + 10_001, null].map(isDoubted)).toEqual([true, true, true])
})
