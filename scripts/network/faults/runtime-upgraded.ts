import { resolve } from 'node:path'
import Type from 'typebox'
import { Check } from 'typebox/schema'
import { Refusal } from '../../start/refusal.js'
import { compareRuntimes } from '../../start/verify-runtime.js'
import { rpcUrlOf } from '../status.js'
import { upgradeNetwork } from '../upgrade.js'
import type { Fault } from './fault.js'
import { headsOf, untilFinalGrows, validatorsOf } from './nodes.js'
import { requireProofs } from './proofs.js'
import { secondsOf } from './waiting.js'

/** A runtime that comes after any release; the command runs in the project's folder. */
export const NEXT_RUNTIME = resolve('chain/artifact/testing/next.wasm')

export const runtimeUpgraded: Fault = {
  name: 'runtime-upgraded',
  does: 'sets a newer runtime, for whose hash the council votes',
  holds: 'it runs, blocks become final, and what is so now and what was so before is proved from the genesis hash',
  /** The newer runtime writes the names of trust registries in capitals. */
  changed: (answers) => ({ ...answers, registry: inCapitals(answers.registry) }),
  async run(trial) {
    const [first] = await validatorsOf(trial)
    if (first === undefined) throw new Refusal('There is no validator.')
    const { final: before } = await headsOf(first)
    const upgrading = await secondsOf(() => upgradeNetwork(trial.stateDir, NEXT_RUNTIME))
    const { best: after } = await headsOf(first)
    await untilFinalGrows(first)
    const proved = await requireProofs(trial, { before, after, handOvers: 0 })
    await requireRuntimes(rpcUrlOf(first), before)
    return `it runs after ${upgrading} s, and is told to be another one than that of the sources, which ran until then; ${proved}`
  },
}

/** Refuses a comparison of runtimes that takes the newer one for that of the sources, or that of before for another. */
async function requireRuntimes(url: string, before: number): Promise<void> {
  const compare = (...argv: string[]) => compareRuntimes(['--url', url, ...argv], resolve('.'), () => {})
  if ((await compare()) === 0) throw new Refusal('verify-runtime takes the newer runtime for that of the sources.')
  if ((await compare('--artifact', NEXT_RUNTIME)) !== 0)
    throw new Refusal('verify-runtime takes the newer runtime for another.')
  if ((await compare('--block', String(before))) !== 0)
    throw new Refusal('verify-runtime takes the runtime of before for another than that of the sources.')
}

const Named = Type.Object({ name: Type.String() })

function inCapitals(registry: unknown): unknown {
  if (!Check(Named, registry)) throw new Refusal('The registry has no name.')
  return { ...registry, name: registry.name.toUpperCase() }
}
