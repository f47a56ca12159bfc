import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type BatchLimits, chooseBatch } from './batch.js'
import type { Candidate } from './pipeline.store.js'
import { openTurns } from './turns.js'

const limits: BatchLimits = { items: 8, bytes: 1000, window: 100, small: 10 }
const idle = { onTheWay: new Map<string, number>(), lastTurn: () => 0 }

let arrived = 0
interface Wish {
  share?: string
  did?: string
  sequence?: number
  size?: number
  isSolo?: boolean
  before?: Candidate['before']
  inFlight?: Candidate['inFlight']
}
/** An action of a DID that is its own share, whose turn has come. */
function queued({
  did = 'did',
  share = did,
  sequence = 0,
  size = 1,
  isSolo = false,
  before,
  inFlight,
}: Wish = {}): Candidate {
  arrived += 1
  const action = { id: `${did} ${sequence}`, ordinal: arrived, did, sequence, size, is_solo: isSolo }
  return { action, share, before, inFlight }
}
const idsOf = (batch: Candidate[]) => batch.map(({ action }) => action.id)
const choose = (...candidates: Candidate[]) => idsOf(chooseBatch(candidates, limits, idle))

describe('the order of a DID', () => {
  test('is that of its sequence, whatever the order of arrival', () => {
    expect(choose(queued({ sequence: 1, before: 'queued' }), queued())).toEqual(['did 0', 'did 1'])
  })

  test.each([
    ['is missing', undefined, []],
    ['is queued, and not among these', 'queued', []],
    ['is signed', 'signed', ['did 3']],
    ['is in a block', 'included', ['did 3']],
    ['was refused', 'refused', ['did 3']],
    ['is final', 'final', ['did 3']],
  ] as const)('an action whose predecessor %s', (_state, before, chosen) => {
    expect(choose(queued({ sequence: 3, before }))).toEqual(chosen)
  })

  test('an action waits while a later one of its DID is in flight, which was signed for its nonce', () => {
    const wish = { sequence: 3, before: 'final' as const }
    expect(choose(queued({ ...wish, inFlight: { sequence: 4, nonce: 3 } }))).toEqual([])
    expect(choose(queued({ ...wish, inFlight: { sequence: 2, nonce: 3 } }))).toEqual(['did 3'])
  })

  test('a gap ends what a DID sends, and holds up nobody else of its share', () => {
    const [a, b] = [
      { did: 'a', share: 's' },
      { did: 'b', share: 's' },
    ]
    expect(choose(queued(a), queued({ ...a, sequence: 2 }), queued(b))).toEqual(['a 0', 'b 0'])
  })

  test('an action that waits holds up the later ones of its DID', () => {
    const waiting = [3, 4, 5].map((sequence) => queued({ sequence, before: 'queued' }))
    expect(choose(...waiting, queued({ did: 'b' }))).toEqual(['b 0'])
  })

  test('is kept where two of its actions belong to different shares', () => {
    const [first, second] = [queued({ share: 'x' }), queued({ share: 'y', sequence: 1, before: 'queued' })]
    expect(choose(first, second)).toEqual(['did 0'])
  })
})

describe('the size of a batch', () => {
  test('ends at the items', () => {
    const many = Array.from({ length: 9 }, (_, sequence) => queued({ sequence }))
    expect(choose(...many)).toEqual(idsOf(many.slice(0, 8)))
  })

  test('ends at the window of what is more than little, to the byte', () => {
    const two = (size: number) => [queued({ size: 60 }), queued({ sequence: 1, size })]
    expect(choose(...two(50))).toHaveLength(2)
    expect(choose(...two(51))).toHaveLength(1)
  })

  test('ends at the bytes, to the byte', () => {
    const few = { ...limits, bytes: 60 }
    const two = (size: number) => chooseBatch([queued({ size: 50 }), queued({ did: 'b', size })], few, idle)
    expect(two(10)).toHaveLength(2)
    expect(two(11)).toHaveLength(1)
  })

  test('takes what is larger than the window when nothing else is on the way', () => {
    const large = queued({ size: 500 })
    expect(choose(large)).toEqual(['did 0'])
    const onTheWay = new Map([['other', 11]])
    expect(chooseBatch([large], limits, { ...idle, onTheWay })).toEqual([])
  })

  test('is one where an action is too heavy for company', () => {
    expect(choose(queued({ isSolo: true }), queued({ did: 'b', size: 2 }))).toEqual(['did 0'])
    expect(choose(queued({ isSolo: true, size: 2 }), queued({ did: 'b' }))).toEqual(['b 0'])
  })
})

describe('shares', () => {
  test('an action that is too heavy for company waits as if it had the size of a window', () => {
    const traffic = (other: number) => ({ ...idle, onTheWay: new Map([['other', other]]) })
    const heavy = queued({ isSolo: true })
    expect(chooseBatch([heavy], limits, traffic(20))).toEqual([heavy])
    expect(chooseBatch([heavy], limits, traffic(21))).toEqual([])
    expect(chooseBatch([queued()], limits, traffic(21))).toHaveLength(1)
  })

  test('a little action is in the next batch, however much of others is on the way or queued before it', () => {
    const bulk = Array.from({ length: 30 }, (_, sequence) => queued({ did: 'bulk', sequence, size: 90 }))
    const traffic = { onTheWay: new Map([['bulk', 90]]), lastTurn: () => 0 }
    expect(idsOf(chooseBatch([...bulk, queued({ did: 'one', size: 10 })], limits, traffic))).toEqual(['one 0'])
  })

  test('the bytes of a share on the way count against its limit', () => {
    const traffic = (bytes: number) => ({
      ...idle,
      onTheWay: new Map([
        ['bulk', 120],
        ['one', bytes],
      ]),
    })
    expect(chooseBatch([queued({ did: 'one', size: 4 })], limits, traffic(6))).toHaveLength(1)
    expect(chooseBatch([queued({ did: 'one', size: 4 })], limits, traffic(7))).toHaveLength(0)
  })

  test('the first to arrive begins among shares with the same turn and size', () => {
    const [first, second] = [queued({ did: 'a' }), queued({ did: 'b' })]
    expect(choose(second, first)).toEqual(['a 0', 'b 0'])
  })

  test('several jobs of one share have one turn', () => {
    const jobs = Array.from({ length: 20 }, (_, index) => queued({ did: `d${index}`, share: 'team' }))
    const others = [queued({ did: 'x' }), queued({ did: 'y' })]
    expect(choose(...jobs, ...others)).toEqual(['d0 0', 'x 0', 'y 0', 'd1 0', 'd2 0', 'd3 0', 'd4 0', 'd5 0'])
  })

  test('one that had its turn, and has no room for more, leaves the room to the others', () => {
    const much = [queued({ did: 'much', size: 60 }), queued({ did: 'much', sequence: 1, size: 60, before: 'queued' })]
    const less = [queued({ did: 'less', size: 12 }), queued({ did: 'less', sequence: 1, size: 12, before: 'queued' })]
    const lastTurn = (share: string) => (share === 'much' ? 1 : 2)
    const chosen = chooseBatch([...much, ...less], limits, { ...idle, lastTurn })
    expect(idsOf(chosen)).toEqual(['much 0', 'less 0', 'less 1'])
  })

  test('the one whose turn it is waits for room, and nobody takes it meanwhile', () => {
    const [large, middle] = [queued({ did: 'large', size: 100 }), queued({ did: 'middle', size: 40 })]
    const turns = new Map([
      ['large', 1],
      ['middle', 2],
      ['sent', 3],
    ])
    const lastTurn = (share: string) => turns.get(share) ?? 0
    const traffic = (sent: number) => ({ onTheWay: new Map([['sent', sent]]), lastTurn })
    expect(chooseBatch([middle, large], limits, traffic(60))).toEqual([])
    expect(idsOf(chooseBatch([middle, large], limits, traffic(10)))).toEqual(['large 0'])
  })
})

describe('the turns of shares', () => {
  test('a new one comes after those waiting since earlier batches, and keeps its place', () => {
    const turns = openTurns()
    expect(turns.lastTurn('a')).toBe(0)
    turns.took(['b'])
    expect([turns.lastTurn('a'), turns.lastTurn('b'), turns.lastTurn('c')]).toEqual([0, 1, 1])
    turns.took(['a'])
    expect([turns.lastTurn('a'), turns.lastTurn('b'), turns.lastTurn('c')]).toEqual([2, 1, 1])
  })

  test('ten thousand are remembered, and of more the latest', () => {
    const turns = openTurns()
    turns.took(['first'])
    turns.took(Array.from({ length: 9_999 }, (_, n) => `${n}`))
    expect(turns.lastTurn('first')).toBe(1)
    turns.took(['last'])
    expect(['first', '0', 'last'].map(turns.lastTurn)).toEqual([3, 2, 3])
  })
})

/** A share's own actions in the order of their arrival: of `dids` DIDs, each of the given size. */
interface Arrival {
  at: number
  share: string
  did: number
  size: number
  isSolo: boolean
}

const arrivals = fc.array(
  fc.record({
    at: fc.nat(20),
    share: fc.constantFrom('a', 'b', 'c', 'd'),
    did: fc.nat(2),
    size: fc.oneof(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 11, max: 300 })),
    isSolo: fc.nat(9).map((number) => number === 9),
  }),
  { maxLength: 60 },
)

/** Queues, chooses and answers as signer and ledger do: each batch is answered so many batches later. */
class Simulation {
  readonly batches: Candidate[][] = []
  readonly #turns = openTurns()
  readonly #queue: Candidate[] = []
  readonly #sequences = new Map<string, number>()
  readonly #states = new Map<string, Candidate['before']>()
  readonly #unanswered: Candidate[][] = []
  /** The shares that had an action ready at each batch. */
  readonly waiting: Set<string>[] = []

  arrive({ share, did: number, size, isSolo }: Arrival): void {
    const did = `${share}${number}`
    const sequence = this.#sequences.get(did) ?? 0
    this.#sequences.set(did, sequence + 1)
    this.#queue.push(queued({ share, did, sequence, size, isSolo }))
  }

  choose(): void {
    const candidates = this.#queue.map((candidate) => {
      const { did, sequence } = candidate.action
      return {
        ...candidate,
        before: sequence === 0 ? undefined : (this.#states.get(`${did} ${sequence - 1}`) ?? 'queued'),
      }
    })
    const onTheWay = new Map<string, number>()
    for (const { share, action } of this.#unanswered.flat()) {
      const size = action.is_solo ? Math.max(action.size, limits.window) : action.size
      onTheWay.set(share, (onTheWay.get(share) ?? 0) + size)
    }
    this.waiting.push(new Set(candidates.map(({ share }) => share)))
    const batch = chooseBatch(candidates, limits, { onTheWay, lastTurn: this.#turns.lastTurn })
    this.batches.push(batch)
    if (batch.length === 0) return
    this.#turns.took(batch.map(({ share }) => share))
    for (const { action } of batch) this.#states.set(action.id, 'signed')
    const chosen = new Set(idsOf(batch))
    this.#queue.splice(0, this.#queue.length, ...this.#queue.filter(({ action }) => !chosen.has(action.id)))
    this.#unanswered.push(batch)
  }

  answer(): void {
    this.#unanswered.shift()
  }

  get isDone(): boolean {
    return this.#queue.length === 0 && this.#unanswered.length === 0
  }
}

function simulate(given: Arrival[], answersLate: number): Simulation {
  const simulation = new Simulation()
  for (let step = 0; step < 500 && (step <= 20 || !simulation.isDone); step++) {
    for (const arrival of given.filter(({ at }) => at === step)) simulation.arrive(arrival)
    simulation.choose()
    if (step >= answersLate) simulation.answer()
  }
  return simulation
}

const runs = { numRuns: 200, interruptAfterTimeLimit: 20_000, markInterruptAsFailure: true }

describe('random arrivals, with any delay of the ledger', () => {
  test('everything has its turn once, in the order of its DID', () => {
    fc.assert(
      fc.property(arrivals, fc.nat(3), (given, answersLate) => {
        const simulation = simulate(given, answersLate)
        expect(simulation.isDone).toBe(true)
        const sequences = new Map<string, number[]>()
        for (const { action } of simulation.batches.flat())
          sequences.set(action.did, [...(sequences.get(action.did) ?? []), action.sequence])
        for (const own of sequences.values()) expect(own).toEqual(own.map((_, index) => index))
        expect(simulation.batches.flat()).toHaveLength(given.length)
      }),
      runs,
    )
  })

  test('while a share waits, each other one begins at most one batch of more than little', () => {
    fc.assert(
      fc.property(arrivals, fc.nat(3), (given, answersLate) => {
        const { batches, waiting } = simulate(given, answersLate)
        for (const share of ['a', 'b', 'c', 'd']) {
          let others = new Map<string, number>()
          batches.forEach((batch, index) => {
            if (batch.some((candidate) => candidate.share === share) || !waiting[index]?.has(share)) {
              others = new Map()
              return
            }
            const large = batch.filter(({ action }) => action.size > limits.small || action.is_solo)
            for (const other of new Set(large.map((candidate) => candidate.share)))
              others.set(other, (others.get(other) ?? 0) + 1)
            for (const count of others.values()) expect(count).toBeLessThanOrEqual(1)
          })
        }
      }),
      runs,
    )
  })

  test('a share with nothing on the way that has only little is in the next batch', () => {
    fc.assert(
      fc.property(arrivals, fc.nat(3), (given, answersLate) => {
        const single: Arrival = { at: 10, share: 'single', did: 0, size: 10, isSolo: false }
        const { batches } = simulate([...given, single], answersLate)
        const own = batches.findIndex((batch) => batch.some(({ share }) => share === 'single'))
        const next = batches.findIndex((batch, index) => index >= 10 && batch.length > 0)
        const isSolo = batches[next]?.some(({ action }) => action.is_solo) === true
        if (isSolo) expect(own).toBeLessThanOrEqual(next + 1)
        else expect(own).toBe(next)
      }),
      runs,
    )
  })
})
