import { ProofRefusal, parseQuestion } from '@accredit/chain/proof'
import type { At } from '../../ledger/read/at.js'
import { shareOfNetwork } from '../../ledger/write/share.js'
import { SignerRefused } from '../../ledger/write/signer-door.js'
import { ApiError, type ErrorType, invalid, notFound } from '../../platform/errors.js'
import type { PublicContext } from '../../platform/http/context.js'
import { type ProofBundle, readBundle } from './proof-bundle.js'

/** The refusals that every proof may meet. */
export const PROOF_ERRORS = [
  'proof_too_large',
  'not_found',
  'ledger_unavailable',
  'proofs_not_available',
] as const satisfies ErrorType[]

/** The proofs of one route for one address at once. The signer lets addresses take turns besides, in all replicas. */
export const PROOF_LIMITS = { concurrencyPerAddress: 4 }

export const PROOF_NOTE =
  'The answer is a bundle that anyone checks offline, from the hash of the genesis: `npm run verify-proof -- FILE --genesis HASH`, or `@accredit/chain/proof` in Node and browsers. It stands on the signatures of every set of validators since then; `--known NUMBER:HASH` names a final block that you know, and a proof of another past is refused. It stands on the block that `at` means, now by default. 400 proof_too_large where it would have more than 1,000,000 bytes, which depends on the ledger: behind some 600 changes of four validators, say, or about a DID to which more than some 800 issuers of a registry delegate, some 400 where all are suspended, fewer on a ledger of many DIDs (some 250 beside 60,000). 501 proofs_not_available on an embedded ledger, which has no validators whose votes could show anything.'

interface Proving {
  /** A question as `@accredit/chain/proof` reads it. */
  question: object
  at: At
  /** True where the question means the same for ever, as an id does and a slug does not. */
  isNamedById?: boolean
}

/**
 * Has the signer prove the answer to a question at a final block. The bundle may be kept where its block is settled.
 *
 * @throws 400 `invalid_request` where the ledger cannot be asked this, 400 `proof_too_large`, 404 `not_found` about genesis, 501
 *   `proofs_not_available`, 503 `ledger_unavailable`, 503 `unavailable` where too much waits
 */
export async function prove(ctx: PublicContext, { question, at, isNamedById = true }: Proving): Promise<ProofBundle> {
  if (at.block === 0) throw notFound('A proof about block 0, which its own hash stands for,')
  const asked = readQuestion(question)
  const bundle = await ctx
    .rest(() => ctx.signer.prove(asked, at.hash, shareOfNetwork(ctx)))
    .catch((error: unknown) => Promise.reject(proofError(error)))
  ctx.reply.header('Cache-Control', at.isSettled && isNamedById ? 'public, max-age=86400, immutable' : 'no-cache')
  return readBundle(bundle)
}

function readQuestion(question: object) {
  try {
    return parseQuestion(question)
  } catch (error) {
    if (error instanceof ProofRefusal)
      throw invalid('The ledger holds nothing that could prove an answer about this DID')
    throw error
  }
}

function proofError(error: unknown): unknown {
  if (!(error instanceof SignerRefused)) return error
  if (error.type === 'proofs_not_available' || error.type === 'proof_too_large')
    return new ApiError(error.type, error.message, { cause: error })
  // The index stands on this block, so that it is final: the node that the signer asks lags behind, or is another one.
  if (error.type === 'block_not_final')
    return new ApiError('ledger_unavailable', 'The node that gives proofs does not have the block yet; try again', {
      cause: error,
    })
  return error
}
