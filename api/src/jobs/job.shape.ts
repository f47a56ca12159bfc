import { Type } from 'typebox'

export const JobId = Type.String({
  pattern: '^[0-9]{1,20}$',
  description: 'Decimal digits; "0" is nothing to wait for',
})

/** What an operation answers whose work goes on: poll `GET /jobs/{id}`. */
export const JobStarted = Type.Object({ id: JobId, data: Type.Object({}) })

export const Job = Type.Object({
  id: JobId,
  status: Type.Enum(['todo', 'in_progress', 'finalized', 'error']),
  result: Type.Object(
    {},
    { description: 'finalized: { encodedTx, userData, result: { InBlock } }; error: { type, message }; before: {}' },
  ),
})
