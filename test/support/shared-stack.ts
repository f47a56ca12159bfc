import { inject } from 'vitest'

interface SharedStack {
  apiUrl: string
  apiKey: string
  stateDir: string
  databaseUrl: string
}

/** The running product that the files of this folder share; each makes a team or registry of its own. */
export const { apiUrl, apiKey, stateDir, databaseUrl } = await started()

async function started(): Promise<SharedStack> {
  const answer = await fetch(inject('sharedStackUrl'))
  if (!answer.ok) throw new Error(`The shared product did not start: ${await answer.text()}`)
  return (await answer.json()) as SharedStack
}
