import type { Algorithm } from '../../credential-format.js'
import { type JsonObject, quoted } from '../../json.js'
import { bjjOf2021 } from './bjj-2021.js'
import { DATA_INTEGRITY_PROOF } from './data-integrity.js'
import { ed25519Of2018 } from './ed25519-2018.js'
import { ed25519Of2020 } from './ed25519-2020.js'
import { eddsaJcs2022 } from './eddsa-jcs-2022.js'
import { eddsaRdfc2022 } from './eddsa-rdfc-2022.js'
import { secp256k1Of2019 } from './secp256k1-2019.js'
import type { IssuingSuite, SignatureSuite } from './signature-suite.js'
import { sr25519Of2020 } from './sr25519-2020.js'

const ISSUING: readonly IssuingSuite[] = [ed25519Of2020, ed25519Of2018, eddsaRdfc2022, eddsaJcs2022, bjjOf2021]
const SUITES: readonly SignatureSuite[] = [...ISSUING, secp256k1Of2019, sr25519Of2020]

/** The algorithms of issue requests; the first suite's is the default. */
export const ALGORITHMS: readonly Algorithm[] = ISSUING.map(({ algorithm }) => algorithm)

/** The suite that an issue request means by `algorithm`, one of `ALGORITHMS`. */
export function suiteForAlgorithm(algorithm: string): IssuingSuite {
  const found = ISSUING.find((suite) => suite.algorithm.name === algorithm)
  if (found === undefined) throw new Error(`no suite signs with ${algorithm}`)
  return found
}

/** The suite that checks a proof, or why there is none. */
export function suiteForProof({ type, cryptosuite }: JsonObject): SignatureSuite | NoSuite {
  const ofType = SUITES.filter((suite) => suite.proofType === type)
  if (type !== DATA_INTEGRITY_PROOF)
    return ofType[0] ?? { reason: 'unsupported_proof', detail: `proofs of type ${quoted(type)} cannot be checked` }
  const found = ofType.find((suite) => suite.cryptosuite === cryptosuite)
  const detail = `proofs of the cryptosuite ${quoted(cryptosuite)} cannot be checked`
  return found ?? { reason: 'unsupported_cryptosuite', detail }
}

interface NoSuite {
  readonly reason: string
  readonly detail: string
}
