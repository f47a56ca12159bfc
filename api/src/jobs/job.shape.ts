import { Type } from 'typebox'

export const JobId = Type.String({
  pattern: '^[0-9]{1,20}$',
  description: 'Decimal digits; "0" is nothing to wait for',
})

/** The answer of an operation whose work goes on: poll `GET /jobs/{id}`. */
export const JobStarted = Type.Object({ id: JobId, data: Type.Object({}, { description: 'The subject of the job' }) })

export const JobStatus = Type.Enum(['todo', 'in_progress', 'finalized', 'error'], {
  description: 'todo and in_progress: ask again; finalized: what it wrote can be read; error: nothing of it came about',
})

export const Job = Type.Object({
  id: JobId,
  status: JobStatus,
  result: Type.Object(
    {},
    {
      description:
        'finalized: { encodedTx, userData, result: { InBlock } }; error: { type, message }; before: {}. Of many rows: { done, total }, at the end with refused. Of a mail: { waitingFor, message } while it is not sent, with "mail server" or, where it cannot be opened with the key of the service, "key"; { sent: true } when a mail server has taken it; one that comes back after that is an error, not_delivered',
    },
  ),
})
