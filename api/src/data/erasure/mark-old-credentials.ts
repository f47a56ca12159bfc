import type { TeamId } from '../../platform/database/ids.js'
import type { EventSealing } from '../../platform/database/outgoing-events.js'

interface Unmarked {
  n: number
  team_id: TeamId
  id: string
  subject_ref: string
  marks: Buffer[] | null
}

/** Returns the rows with their marks, made of what they say where an older version of the service left them out. */
export const markedRows = ({ marksOf }: Pick<EventSealing, 'marksOf'>, rows: readonly Unmarked[]) =>
  rows.map(({ n, team_id, id, subject_ref, marks }) => ({
    n,
    marks: marks ?? marksOf(team_id, [id, ...subject_ref.split(' ').filter(Boolean)]),
  }))
