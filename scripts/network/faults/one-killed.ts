import type { Fault } from './fault.js'
import { bringBack, fourOf, stopped, untilFinalGrows, validatorsOf } from './nodes.js'
import { secondsOf } from './waiting.js'

export const oneKilled: Fault = {
  name: 'one-killed',
  does: 'kills each validator in turn, the one that the product asks first among them, and starts it again',
  holds: 'the others go on making blocks final, and the killed one takes part again',
  async run(trial) {
    const told: string[] = []
    for (const node of await fourOf(trial)) {
      await stopped(trial, [node], 'SIGKILL')
      const [witness] = (await validatorsOf(trial)).filter(({ name }) => name !== node.name)
      if (witness) told.push(await secondsOf(() => untilFinalGrows(witness)))
      await bringBack(trial, [node])
    }
    return `three more blocks final ${told.join(', ')} s after each death`
  },
}
