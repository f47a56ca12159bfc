import { clockOff } from './clock-off.js'
import { doubleVote } from './double-vote.js'
import type { Fault } from './fault.js'
import { finalityStalled } from './finality-stalled.js'
import { fullDisk } from './full-disk.js'
import { halves } from './halves.js'
import { nodeStalled } from './node-stalled.js'
import { oneKilled } from './one-killed.js'
import { otherGenesis } from './other-genesis.js'
import { productKilled } from './product-killed.js'
import { prunedNode } from './pruned-node.js'
import { runtimeUpgraded } from './runtime-upgraded.js'
import { twoStopped } from './two-stopped.js'
import { validatorsChanged } from './validators-changed.js'

/** All faults in their order: those that change the network for good come last. */
export const faults: readonly Fault[] = [
  oneKilled,
  nodeStalled,
  twoStopped,
  productKilled,
  halves,
  finalityStalled,
  clockOff,
  otherGenesis,
  prunedNode,
  fullDisk,
  validatorsChanged,
  runtimeUpgraded,
  doubleVote,
]
