// Measures what the check of a proof costs by the number of hand-overs: node chain/client/dist/bench/main.js
import { isSignedByOpenssl } from '../openssl-signatures.js'
import { makeBundle, verifyProof } from '../proof/index.js'
import { FIRST, handOver, MAY_ISSUE, SECOND } from '../proof/testing/sample-bundle.js'
import { sampleLedger } from '../proof/testing/sample-ledger.js'
import { justify, TestNetwork } from '../proof/testing/test-network.js'

const COUNTS = (process.env.BENCH_HAND_OVERS ?? '0,1,3,10,30').split(',').map(Number)
const TIMES = Number(process.env.BENCH_TIMES ?? 50)
const WARM_UP = 10

/** The validators of a set: two sets of four take turns, and three of each vote. */
const setOf = (id: number) => (id % 2 === 0 ? FIRST : SECOND)
const votersOf = (id: number) => setOf(id).slice(0, 3)

/** Returns a bundle about a block behind so many hand-overs, one in each block before it, and the hash of its genesis. */
function bundleWith(handOvers: number): { text: string; genesisHash: string } {
  const network = new TestNetwork(setOf(0))
  const changes = Array.from({ length: handOvers }, (_, id) =>
    handOver(network.add(new Map(), { next: setOf(id + 1) }), votersOf(id), id),
  )
  const asked = network.add(sampleLedger())
  const { hash: genesisHash, header, nodes } = network.genesis
  const bundle = makeBundle(MAY_ISSUE, {
    genesisHash,
    genesis: { header, nodes },
    handOvers: changes,
    headers: [asked.header],
    justification: justify(asked, votersOf(handOvers), { setId: handOvers }),
    nodes: asked.nodes,
  })
  return { text: JSON.stringify(bundle), genesisHash }
}

/** Returns the milliseconds of a processor that some work takes, which other work on the machine does not lengthen. */
function costOf(work: () => void): number {
  for (let turn = 0; turn < WARM_UP; turn += 1) work()
  const begun = process.cpuUsage()
  for (let turn = 0; turn < TIMES; turn += 1) work()
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / 1000 / TIMES
}

for (const handOvers of COUNTS) {
  const { text, genesisHash } = bundleWith(handOvers)
  const milliseconds = costOf(() => verifyProof(text, genesisHash))
  const withOpenSsl = costOf(() => verifyProof(text, genesisHash, { isSigned: isSignedByOpenssl }))
  const told = [`${milliseconds.toFixed(1)} ms`, `${withOpenSsl.toFixed(1)} ms with OpenSSL`, `${text.length} bytes`]
  console.log(`${handOvers} hand-overs: ${told.join(', ')}`)
}
