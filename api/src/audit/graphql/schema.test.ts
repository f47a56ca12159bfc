import { buildSchema, getIntrospectionQuery, graphqlSync, type IntrospectionQuery } from 'graphql'
import { expect, test } from 'vitest'
import { SCHEMA } from './schema.js'

interface Named {
  name: string
  description?: string | null | undefined
}

test('everything that introspection tells of has a description', () => {
  const { data } = graphqlSync({ schema: buildSchema(SCHEMA), source: getIntrospectionQuery() })
  const { __schema: told }: IntrospectionQuery = JSON.parse(JSON.stringify(data))
  const nameless: string[] = []
  let count = 0
  const look = (part: Named, path: string): void => {
    count += 1
    if (!part.description) nameless.push(path)
  }
  for (const type of told.types.filter(({ name }) => !name.startsWith('__'))) {
    look(type, type.name)
    if (type.kind === 'OBJECT')
      for (const field of type.fields) {
        look(field, `${type.name}.${field.name}`)
        for (const arg of field.args) look(arg, `${type.name}.${field.name}.${arg.name}`)
      }
    if (type.kind === 'INPUT_OBJECT') for (const field of type.inputFields) look(field, `${type.name}.${field.name}`)
    if (type.kind === 'ENUM') for (const value of type.enumValues) look(value, `${type.name}.${value.name}`)
  }
  expect(count).toBeGreaterThan(200)
  expect(nameless).toEqual([])
})
