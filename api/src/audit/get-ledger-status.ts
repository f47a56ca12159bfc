import { type Static, Type } from 'typebox'
import { sendAt } from '../ledger/read/at.js'
import { genesisHash, timeOf } from '../ledger/read/blocks.js'
import { type IndexDb, type IndexHead, staleness } from '../ledger/read/index-db.js'
import { ApiError } from '../platform/errors.js'
import type { PublicContext } from '../platform/http/context.js'
import { operation } from '../platform/http/operation.js'

const point = (description: string) =>
  Type.Object(
    {
      block: Type.Integer({ description: 'Its number' }),
      time: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
        description: 'The time at which it was made; null: not known yet',
      }),
    },
    { description },
  )

const LedgerStatus = Type.Object({
  genesisHash: Type.String({ description: 'The hash of the first block, which says which ledger this is' }),
  specVersion: Type.Integer({ description: 'Of the runtime' }),
  best: point('The newest block'),
  final: point('The newest block that stays'),
  indexed: point('The newest block that is indexed'),
  present: point(
    'The block that answers about the present stand on: the newest indexed one where a block is final when it is made; on a network of validators the newest that is indexed and final',
  ),
  isFresh: Type.Boolean({
    description: 'False: questions of status and trust about the present are 503 ledger_unavailable',
  }),
  writing: Type.Union([Type.Literal('ok'), Type.Literal('waiting_for_fees'), Type.Literal('unavailable')], {
    description:
      'waiting_for_fees: the account that pays for writing is poor; what is written is accepted, waits, and is lost in no case. unavailable: the ledger cannot be asked',
  }),
  lagSeconds: Type.Number({
    description:
      'Age of the oldest final block that is not indexed; on a network of validators, which makes blocks all the time, that of the newest final block by the clock here, where it is greater',
  }),
})

interface NodePoint {
  height: number
  time?: number
}

export const getLedgerStatus = operation({
  method: 'GET',
  url: '/ledger/status',
  operationId: 'getLedgerStatus',
  tags: ['ledger'],
  summary: 'See how far the ledger and its index are',
  description:
    'The points `best` and `final` are those that the index last heard of, where the ledger itself cannot be asked.',
  auth: 'public',
  tenancy: 'public',
  response: { 200: LedgerStatus },
  errors: ['ledger_unavailable'],
  handler: async (ctx) => {
    const heard = await nodeStatus(ctx)
    const head = await ctx.index.head()
    sendAt(ctx, head)
    const [best, final] = await Promise.all([
      pointOf(ctx.index, head, newest(heard?.best, { height: Math.max(head.newest.block, head.finalHeight) })),
      pointOf(ctx.index, head, newest(heard?.final, { height: head.finalHeight })),
    ])
    return {
      genesisHash: await genesisHash(ctx.index),
      specVersion: head.specVersion,
      best,
      final,
      indexed: shown(head.newest),
      present: shown(head),
      isFresh: staleness(ctx.index, head) === undefined,
      writing: writingOf(heard),
      lagSeconds: Math.round(head.lagMs) / 1000,
    }
  },
})

/** The status is asked for most when something is wrong: without the signer the index answers it. */
async function nodeStatus(ctx: PublicContext) {
  try {
    return await ctx.signer.chainStatus()
  } catch (error) {
    if (error instanceof ApiError && error.type === 'ledger_unavailable') return undefined
    throw error
  }
}

function writingOf(heard: Awaited<ReturnType<typeof nodeStatus>>): Static<typeof LedgerStatus>['writing'] {
  if (heard === undefined) return 'unavailable'
  return heard.fees.isPoor ? 'waiting_for_fees' : 'ok'
}

/** The index may have moved on since the node was asked. */
function newest(heard: NodePoint | undefined, known: NodePoint): NodePoint {
  return heard !== undefined && heard.height >= known.height ? heard : known
}

const shown = ({ block, time }: IndexHead['newest']) => ({ block, time: time.toISOString() })

async function pointOf(index: IndexDb, head: IndexHead, { height, time }: NodePoint) {
  if (height === head.newest.block) return shown(head.newest)
  if (time !== undefined) return { block: height, time: new Date(time).toISOString() }
  return { block: height, time: (await timeOf(index, height))?.toISOString() ?? null }
}
