import type { Algorithm, CredentialFormat } from '../credential-format.js'
import { ed25519Of2018 } from './ed25519-2018.js'
import { ed25519Of2020 } from './ed25519-2020.js'
import type { SignatureSuite } from './signature-suite.js'

const SUITES: readonly SignatureSuite[] = [ed25519Of2020, ed25519Of2018]

const algorithmOf = ({ algorithm: name }: SignatureSuite): Algorithm => ({
  name,
  keyKind: 'Ed25519',
  primitive: 'sign',
})

export const ALGORITHMS: CredentialFormat['algorithms'] = [algorithmOf(ed25519Of2020), algorithmOf(ed25519Of2018)]

/** The suite that an issue request means by `algorithm`. */
export const suiteForAlgorithm = (algorithm: string): SignatureSuite =>
  SUITES.find((suite) => suite.algorithm === algorithm) ?? ed25519Of2020

/** The suite that checks proofs of this type. */
export const suiteForProof = (proofType: string): SignatureSuite | undefined =>
  SUITES.find((suite) => suite.proofType === proofType)
