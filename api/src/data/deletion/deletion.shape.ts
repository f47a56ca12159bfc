import { type Static, Type } from 'typebox'

export const Progress = Type.Object({
  id: Type.String({ description: 'Its id' }),
  status: Type.Enum(['in_progress', 'finalized'], { description: 'finalized: nothing of it is left to do' }),
  started: Type.String({ description: 'The time at which it was asked for' }),
  ended: Type.Union([Type.String(), Type.Null()], { description: 'The time of its end; null: it is under way' }),
  counts: Type.Record(Type.String(), Type.Integer(), {
    description: 'The numbers of what is gone so far: rows by table, and private keys',
  }),
})
export type Progress = Static<typeof Progress>

interface Row {
  id: string
  started: Date
  ended: Date | null
  counts: Record<string, number>
}

export const told = ({ id, started, ended, counts }: Row): Progress => ({
  id,
  status: ended === null ? 'in_progress' : 'finalized',
  started: started.toISOString(),
  ended: ended?.toISOString() ?? null,
  counts,
})

export const ForgettingParams = (description: string) =>
  Type.Object({ id: Type.String({ format: 'uuid', description }) })
