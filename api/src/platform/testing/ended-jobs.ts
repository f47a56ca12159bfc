import { jobsEnded } from '../process/work-metrics.js'

/** Returns the number of ended jobs of a kind that the metrics of this process have. */
export async function endsOf(kind: string, status: string): Promise<number> {
  const { values } = await jobsEnded.get()
  return values.find(({ labels }) => labels.kind === kind && labels.status === status)?.value ?? 0
}
