import { verifyProof } from '@accredit/chain/proof'
import { percentiles } from '../../bench/measure.js'
import type { Scene } from '../faults/fault.js'
import { bundleAt } from '../faults/proofs.js'
import type { Figure } from './figure.js'

const TIMES = 50
/** The first ones load code, which is optimised meanwhile, and find hand-overs. */
const WARM_UP = 40
const WANTED = { below: 20 }

/** Measures how long the product takes to answer with a proof of the present, and how long its check takes here. */
export async function proofTimes(scene: Scene): Promise<Figure[]> {
  const made: number[] = []
  const checked: number[] = []
  let last = await bundleAt(scene)
  for (let turn = 0; turn < WARM_UP + TIMES; turn += 1) {
    const begun = performance.now()
    last = await bundleAt(scene)
    const answered = performance.now()
    verifyProof(JSON.stringify(last), last.genesisHash)
    const ended = performance.now()
    if (turn < WARM_UP) continue
    made.push(answered - begun)
    checked.push(ended - answered)
  }
  const [handOvers, text] = [last.handOvers.length, JSON.stringify(last)]
  const note = `p50 of ${TIMES}, with ${handOvers} hand-overs, ${text.length} bytes`
  return [
    {
      what: 'a proof made, from the request to the answer',
      value: percentiles(made).p50,
      unit: 'ms',
      wanted: WANTED,
      note,
    },
    { what: 'a proof checked', value: percentiles(checked).p50, unit: 'ms', wanted: WANTED, note },
  ]
}
