import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fundAccount } from '../fund.js'
import { rpcUrlOf } from '../status.js'
import { authorizationPath, checkEcosystem, type Ecosystem, makeEcosystem } from './ecosystem.js'
import type { Fault, Trial } from './fault.js'
import { Freshness } from './freshness.js'
import { validatorsOf } from './nodes.js'
import { Product } from './product.js'
import { type Ground, makeGround, Writer } from './writer.js'

/** More than a trial can spend. */
const FEES = 10n ** 18n

interface Standing {
  product: Product
  kept: Ecosystem
  ground: Ground
}

/**
 * Puts the product on a network, with a database of its own, and lets one fault after the other happen while it is
 * written to. After each the ecosystem of the beginning is looked at, and everything that was written meanwhile.
 */
export async function tryFaults(
  place: Pick<Trial, 'stateDir' | 'nodeProgram'>,
  faults: readonly Fault[],
  tell: (line: string) => void,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'accredit-trial-'))
  const urls = (await validatorsOf(place)).map(rpcUrlOf)
  const product = await Product.start(join(folder, 'product'), urls)
  try {
    await fundAccount(place.stateDir, product.feeAccount, FEES)
    const standing = { product, kept: await makeEcosystem(product.client), ground: await makeGround(product.client) }
    tell('the product runs on the network: an ecosystem is made')
    for (const fault of faults) tell(`${fault.name}: ${await tryFault(place, standing, fault)}`)
  } finally {
    await product.remove()
    await rm(folder, { recursive: true, force: true })
  }
}

async function tryFault(
  place: Pick<Trial, 'stateDir' | 'nodeProgram'>,
  { product, kept, ground }: Standing,
  fault: Fault,
): Promise<string> {
  const lacking = await fault.lacks?.()
  if (lacking !== undefined) return `not run: ${lacking}`
  const begun = Date.now()
  const writer = new Writer(product, ground)
  const freshness = new Freshness(product.apiUrl + authorizationPath(kept, kept.issuer))
  writer.begin()
  freshness.begin()
  const seen = await fault.run({ ...place, product, freshness })
  const written = await writer.end()
  const answered = await freshness.end()
  await checkEcosystem(product.client, kept)
  return `${seen}; ${written}; ${answered}; ${((Date.now() - begun) / 1000).toFixed(0)} s in all`
}
