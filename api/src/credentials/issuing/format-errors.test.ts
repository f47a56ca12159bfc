import { expect, it } from 'vitest'
import { FormatError } from '../../formats/format-error.js'
import { asAnswer } from './format-errors.js'

const answerTo = (error: Error) => asAnswer(() => Promise.reject(error))

it('a fault of the document is 400, a passing one 503, and any other error is thrown on', async () => {
  const told = { message: 'The credential cannot be issued: x' }
  await expect(answerTo(new FormatError('too_large', 'x'))).rejects.toMatchObject({ status: 400, ...told })
  await expect(answerTo(new FormatError('unavailable', 'x'))).rejects.toMatchObject({ status: 503, ...told })
  const other = new Error('x')
  await expect(answerTo(other)).rejects.toBe(other)
})
