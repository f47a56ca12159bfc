import type { LightMyRequestResponse } from 'fastify'

export interface Answered {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever was answered
  body: any
  /** Accredit-Ignored. */
  ignored: string | undefined
}

const isToken = ({ headers }: LightMyRequestResponse): boolean => /\+jwt$/.test(String(headers['content-type']))

export const answerOf = (response: LightMyRequestResponse): Answered => ({
  status: response.statusCode,
  body: response.body === '' ? undefined : isToken(response) ? response.body : response.json(),
  ignored: response.headers['accredit-ignored']?.toString(),
})

/** The answer to a write to the ledger. */
export interface Written extends Answered {
  job: string | undefined
  pending: boolean
}

export const writtenOf = (response: LightMyRequestResponse): Written => ({
  ...answerOf(response),
  job: response.headers['accredit-job']?.toString(),
  pending: response.headers['accredit-pending'] === 'true',
})
