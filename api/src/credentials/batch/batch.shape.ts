import { Type } from 'typebox'
import { JobStarted } from '../../jobs/job.shape.js'
import { ROWS_MAX } from './batch-limits.js'

export const IssueBatch = Type.Object(
  {
    rows: Type.Array(
      Type.Object({}, { additionalProperties: true, description: 'A request to issue, as POST /credentials takes it' }),
      { minItems: 1, maxItems: ROWS_MAX, description: 'The credentials to issue' },
    ),
  },
  { description: 'The rows of a batch' },
)

export const BatchStarted = Type.Object({
  id: JobStarted.properties.id,
  data: Type.Object({ total: Type.Integer({ description: 'The number of rows' }) }, { description: 'The batch' }),
})

/** A line of the result of a batch. */
export const BatchOutcome = Type.Object({
  row: Type.Integer({ description: 'The row of the request, from 1' }),
  credential: Type.Optional(
    Type.Unknown({ description: 'The credential as POST /credentials answers it: an object, or a compact token' }),
  ),
  headers: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: 'The headers of that answer which say more: Accredit-Ignored, Accredit-Distribution and others',
    }),
  ),
  error: Type.Optional(
    Type.Object(
      {
        status: Type.Integer({ description: 'The status that POST /credentials would have' }),
        type: Type.String({ description: 'A type of the error catalogue' }),
        message: Type.String({ description: 'The reason' }),
      },
      { additionalProperties: true, description: 'The refusal of the row, as POST /credentials tells it' },
    ),
  ),
})
