import { describe, expect, test } from 'vitest'
import { wantedForm } from './accept.js'

describe('the form that a caller wants', () => {
  const [signed, either, json, neither] = [
    { named: 'application/jwt', json: false },
    { named: 'application/jwt', json: true },
    { named: undefined, json: true },
    { named: undefined, json: false },
  ]
  test.each([
    [undefined, json],
    ['*/*', json],
    ['application/*', json],
    ['application/json', json],
    ['application/jwt', signed],
    ['Application/JWT; charset=utf-8', signed],
    ['application/jwt;q=0.001', signed],
    ['application/jwt, application/json', either],
    ['application/json, application/jwt', either],
    ['application/jwt, */*;q=0.1', either],
    ['application/jwt;q=0.9, application/*;q=0.9', either],
    ['application/jwt;q=0.5, application/json;q=0.2, */*', either],
    ['application/json, application/jwt;q=0.1', json],
    ['application/jwt;q=0.9, */*', json],
    ['application/json ; Q=0.5 , application/jwt ; Q=0.4', json],
    ['application/jwt;q=0, */*', json],
    ['application/jwt;q=0', neither],
    ['application/jwt;q=2', neither],
    ['application/jwt;q=much, application/json', json],
    ['application/json;q=0, application/jwt', signed],
    ['text/html', neither],
    ['', neither],
  ])('%s', (accept, wanted) => expect(wantedForm(accept, ['application/jwt'])).toEqual(wanted))

  test('is the most wanted one of several, the first of equals', () => {
    const named = (accept: string) => wantedForm(accept, ['application/x-ndjson', 'text/csv']).named
    expect(named('text/csv, application/x-ndjson')).toBe('application/x-ndjson')
    expect(named('application/x-ndjson;q=0.5, text/csv;q=0.6')).toBe('text/csv')
    expect(named('application/json, text/csv;q=0')).toBeUndefined()
  })
})
