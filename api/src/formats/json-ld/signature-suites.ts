import type { Algorithm } from '../credential-format.js'
import { ed25519Of2018 } from './ed25519-2018.js'
import { ed25519Of2020 } from './ed25519-2020.js'
import type { SignatureSuite } from './signature-suite.js'

const SUITES: readonly SignatureSuite[] = [ed25519Of2020, ed25519Of2018]

/** The algorithms of issue requests; the first suite's is the default. */
export const ALGORITHMS: readonly Algorithm[] = SUITES.map(({ algorithm }) => algorithm)

/** The suite that an issue request means by `algorithm`, one of `ALGORITHMS`. */
export function suiteForAlgorithm(algorithm: string): SignatureSuite {
  const found = SUITES.find((suite) => suite.algorithm.name === algorithm)
  if (found === undefined) throw new Error(`no suite signs with ${algorithm}`)
  return found
}

/** The suite that checks proofs of this type. */
export const suiteForProof = (proofType: string): SignatureSuite | undefined =>
  SUITES.find((suite) => suite.proofType === proofType)
