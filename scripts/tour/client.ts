/** The REST API as the tour and the benchmarks use it: plain requests; a failed one throws the service's words. */
export interface Client {
  call<T>(method: string, path: string, body?: unknown): Promise<T>
  /** Waits for a background job; fails with the job's own reason. */
  finished(jobId: string | null | undefined, withinMs?: number): Promise<void>
  /** Writes to the ledger and returns the resource, once its job is complete. */
  settled<T>(method: string, path: string, body?: unknown): Promise<T>
}

interface Job {
  status: 'todo' | 'in_progress' | 'finalized' | 'error'
  result: { message?: string }
}

const jobWithinMs = 120_000

/** @param signal ends each request and each waiting: then its reason is thrown */
export function connect(apiUrl: string, apiKey: string, signal?: AbortSignal): Client {
  const request = async (method: string, path: string, body?: unknown): Promise<Response> => {
    const answer = await fetch(apiUrl + path, {
      method,
      headers: { 'content-type': 'application/json', 'SVC-API-TOKEN': apiKey },
      ...(signal && { signal }),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return answer
  }
  const call: Client['call'] = async (method, path, body) => parse(await request(method, path, body))
  const finished: Client['finished'] = async (jobId, withinMs = jobWithinMs) => {
    if (jobId === null || jobId === undefined || jobId === '0') return
    for (const deadline = Date.now() + withinMs; Date.now() < deadline; await pause(50)) {
      const job = await call<Job>('GET', `/jobs/${jobId}`)
      if (job.status === 'finalized') return
      if (job.status === 'error') throw new Error(`job ${jobId} failed: ${job.result.message}`)
    }
    throw new Error(`job ${jobId} took longer than ${withinMs / 1000} s`)
  }
  const settled: Client['settled'] = async (method, path, body) => {
    const answer = await request(method, path, body)
    if (answer.headers.has('accredit-pending')) await finished(answer.headers.get('accredit-job'))
    return parse(answer)
  }
  return { call, finished, settled }
}

async function parse<T>(answer: Response): Promise<T> {
  const text = await answer.text()
  return JSON.parse(text || 'null')
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Does the same for every item, `width` at a time, and keeps the order of the answers. */
export async function each<T, R>(
  items: readonly T[],
  width: number,
  work: (item: T, index: number) => Promise<R>,
  progress: (done: number) => void = () => {},
): Promise<R[]> {
  const answers: R[] = []
  const waiting = items.entries()
  let done = 0
  // Every lane takes the next item from the same iterator.
  const lane = async () => {
    for (const [index, item] of waiting) {
      answers[index] = await work(item, index)
      progress(++done)
    }
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane))
  return answers
}
