import type { FastifyInstance } from 'fastify'
import type { Proofs } from '../actions/proofs.js'
import { ProofRequest } from '../wire.js'
import { post } from './typed-route.js'

export interface ProofRooms {
  proofs: Proofs
}

/** The share of questions that name none. */
const NO_SHARE = ''

/** Proofs need no capability: they tell what everybody may know, and no key is used. */
export function addProofRoutes(app: FastifyInstance, { proofs }: ProofRooms) {
  post(app, '/proof', ProofRequest, async ({ question, block, share = NO_SHARE }) => ({
    bundle: JSON.stringify(await proofs.prove(question, block, share)),
  }))
}
