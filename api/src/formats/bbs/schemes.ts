import type { Algorithm } from '../credential-format.js'

/** One signature scheme of the BBS family, with the names that are signed inside credentials. */
export interface Scheme {
  readonly algorithm: Algorithm
  /** The type of an issuer's proof. */
  readonly proofType: string
  /** The type of the proof that a holder derives of it. */
  readonly derivedType: string
  /** The context of both, by the name that verifiers have built in. */
  readonly context: string
  /** Bytes of a signature. */
  readonly length: number
}

const BBS_2023 = 'https://ld.truvera.io/security/bbs23/v1'
const BBS_PLUS_2022 = 'https://ld.truvera.io/security/bbs/v1'
const BBDT16 = 'https://ld.truvera.io/security/bbdt16/v1'

/** The first one is the default of the family. */
export const SCHEMES: readonly Scheme[] = [
  {
    algorithm: { name: 'svcbbs', aliases: ['dockbbs'], keyKind: 'Bls12381G2', primitive: 'signMessages' },
    proofType: 'Bls12381BBSSignatureDock2023',
    derivedType: 'Bls12381BBSSignatureProofDock2023',
    context: BBS_2023,
    length: 80,
  },
  {
    algorithm: {
      name: 'svcbbs+',
      aliases: ['dockbbs+'],
      keyKind: 'Bls12381G2Plus2022',
      primitive: 'signMessages',
    },
    proofType: 'Bls12381BBS+SignatureDock2022',
    derivedType: 'Bls12381BBS+SignatureProofDock2022',
    context: BBS_PLUS_2022,
    length: 112,
  },
  {
    algorithm: { name: 'bbdt16', keyKind: 'BBDT16', primitive: 'signMessages' },
    proofType: 'Bls12381BBDT16MACDock2024',
    derivedType: 'Bls12381BBDT16MACProofDock2024',
    context: BBDT16,
    length: 112,
  },
]

export function schemeOf(algorithm: string): Scheme {
  const found = SCHEMES.find((scheme) => scheme.algorithm.name === algorithm)
  if (found === undefined) throw new Error(`no scheme of the BBS family signs with ${algorithm}`)
  return found
}
