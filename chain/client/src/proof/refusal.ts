/** The reasons for which a bundle is refused, one for each kind of fault. */
export type RefusalReason =
  | 'too_large'
  | 'not_json'
  | 'duplicate_member'
  | 'unknown_format'
  | 'malformed'
  | 'other_genesis'
  | 'wrong_genesis_header'
  | 'no_genesis_validators'
  | 'broken_header_chain'
  | 'other_block'
  | 'crosses_hand_over'
  | 'hand_over_without_change'
  | 'hand_over_out_of_order'
  | 'delayed_change'
  | 'forced_change'
  | 'justifies_other_block'
  | 'unknown_voter'
  | 'voter_twice'
  | 'vote_for_other_block'
  | 'bad_signature'
  | 'too_few_votes'
  | 'unused_header'
  | 'missing_node'
  | 'bad_node'
  | 'unused_node'
  | 'other_storage'
  | 'other_text'
  | 'unknown_layout'
  | 'bad_value'
  | 'contradicts_known_block'
  | 'known_block_not_compared'

/** A bundle that proves nothing. The message says why in a sentence. */
export class ProofRefusal extends Error {
  override readonly name = 'ProofRefusal'

  constructor(
    readonly reason: RefusalReason,
    message: string,
  ) {
    super(message)
  }
}
