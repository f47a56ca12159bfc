import { expect, it } from 'vitest'
import { FormatError } from '../../formats/format-error.js'
import { asAnswer } from './format-errors.js'

const answerTo = (error: Error) => asAnswer(() => Promise.reject(error))

it('a fault that the author can mend is a 400, one that may pass a 503, and any other stays what it is', async () => {
  const told = { message: 'The credential cannot be issued: x' }
  await expect(answerTo(new FormatError('too_large', 'x'))).rejects.toMatchObject({ status: 400, ...told })
  await expect(answerTo(new FormatError('unavailable', 'x'))).rejects.toMatchObject({ status: 503, ...told })
  const other = new Error('x')
  await expect(answerTo(other)).rejects.toBe(other)
})
