import { expect, it } from 'vitest'
import type { JsonObject } from '../../json.js'
import { termIri } from '../contexts/terms.js'
import { checkDescribedOnce, mentionsIn } from './duplicate-subjects.js'

const claim = termIri('claim')
const described = (id: string): JsonObject => ({ '@id': id, [claim]: [{ '@value': 1 }] })

it('a thing is mentioned where its id stands, and not in values of JSON', () => {
  const node: JsonObject = {
    '@id': 'urn:a',
    '@index': 'x',
    '@type': ['urn:t'],
    [claim]: [{ '@list': [described('urn:b'), { '@id': 'urn:a' }] }],
    [termIri('json')]: [{ '@value': [described('urn:c')], '@type': '@json' }],
  }
  expect([...mentionsIn(node)]).toEqual([
    [
      'urn:a',
      [
        { path: '', isDescribed: true },
        { path: '/claim/1', isDescribed: false },
      ],
    ],
    ['urn:b', [{ path: '/claim/0', isDescribed: true }]],
  ])
})

it('a refusal names a thing by the beginning of its id', () => {
  const id = `urn:${'x'.repeat(100)}`
  const told = /about urn:x{96} could stand .* in \/claim\/0 and in \/claim\/1/
  expect(() => checkDescribedOnce({ [claim]: [described(id), { '@id': id }] })).toThrow(told)
})
