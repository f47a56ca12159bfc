import { type Static, Type } from 'typebox'
import { Check } from 'typebox/schema'

const bytes = (description: string) => Type.String({ pattern: '^0x([0-9a-f]{2})*$', description })
const list = (description: string, each: string) => Type.Array(bytes(each), { description })

const Justified = Type.Object({
  header: bytes('The header of the block, in SCALE'),
  justification: bytes('The votes of the validators before it, in SCALE'),
})

const StorageEntry = Type.Union(
  [
    Type.Object({
      key: bytes('A key of the storage'),
      value: Type.Union([bytes('Its value in SCALE'), Type.Null()], { description: 'null: the state has none' }),
    }),
    Type.Object({
      prefix: bytes('Bytes that keys begin with'),
      keys: list('All keys that begin with them', 'A key of the storage'),
    }),
  ],
  { description: 'A value, or the keys, that were read in the state' },
)

/** A bundle as `chain/client/src/proof` makes and checks it; nothing of it is read here. */
export const ProofBundle = Type.Object(
  {
    format: Type.Literal('accredit-proof-1', { description: 'The format, which chain/client/src/proof describes' }),
    genesisHash: bytes('The ledger, by the hash of its block 0: know it from somebody else before you believe this'),
    question: Type.Unknown({ description: 'The question, in the members of its kind' }),
    text: Type.String({ description: 'The question in a sentence' }),
    block: Type.Object(
      { number: Type.Integer({ description: 'Its number' }), hash: bytes('Its hash') },
      { description: 'The block after which the answer is true' },
    ),
    storage: Type.Array(StorageEntry, { description: 'All that was read to answer' }),
    headers: list('The header of the block, and of each after it up to the one that is justified', 'In SCALE'),
    justification: bytes('The votes that made the last of them final: a GRANDPA justification in SCALE'),
    genesis: Type.Object(
      {
        header: bytes('The header of block 0'),
        nodes: list('The nodes of its state that lead to the first validators', 'A node of the trie'),
      },
      { description: 'The beginning, from which the validators follow' },
    ),
    handOvers: Type.Array(Justified, { description: 'The blocks in which the validators changed, up to the block' }),
    nodes: list('The nodes of the state of the block that the storage needs', 'A node of the trie'),
  },
  {
    description:
      'A bundle that shows an answer about the ledger to whoever trusts the hash of its genesis, and that no two thirds of any set of validators since then sign another past',
  },
)
export type ProofBundle = Static<typeof ProofBundle>

/** Reads the text of a bundle, which the signer has checked. */
export function readBundle(text: string): ProofBundle {
  const bundle: unknown = JSON.parse(text)
  if (!Check(ProofBundle, bundle)) throw new Error('The signer gave a bundle of another form')
  return bundle
}
