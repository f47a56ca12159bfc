import { DataSource, EntitySchema } from 'typeorm'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ScratchDatabase, scratchDatabase } from '../../test/support/scratch-database'
import { writeRowsAsLists } from './write-rows'

interface Fact {
  id: string
  someText: string | null
  number: number
  isTrue: boolean
  time: Date
  numbers: number[]
  json: string | number | boolean | object | null
  rule: string
}

const facts = new EntitySchema<Fact>({
  name: 'fact',
  columns: {
    id: { type: 'text', primary: true },
    someText: { type: 'text', name: 'some_text', nullable: true },
    number: { type: 'integer' },
    isTrue: { type: 'boolean', name: 'is_true' },
    time: { type: 'timestamp with time zone' },
    numbers: { type: 'integer', array: true },
    json: { type: 'jsonb', nullable: true },
    rule: { type: 'text', default: 'instant' },
  },
})

let database: ScratchDatabase
let source: DataSource

beforeEach(async () => {
  writeRowsAsLists()
  database = await scratchDatabase()
  source = await new DataSource({
    type: 'postgres',
    url: database.url,
    entities: [facts],
    synchronize: true,
  }).initialize()
})

afterEach(async () => {
  await source.destroy()
  await database.drop()
})

const factOf = (id: string, changed: Partial<Fact> = {}): Fact => ({
  id,
  someText: null,
  number: 0,
  isTrue: true,
  time: new Date('2026-02-03T04:05:06.789Z'),
  numbers: [],
  json: null,
  rule: 'grandpa',
  ...changed,
})

const read = () => source.manager.find(facts, { order: { id: 'ASC' } })

test('rows are read as they were written: text, numbers, times, lists and JSON of every kind', async () => {
  const texts = ['', 'null', '\\N', 'a "quoted" \\ {1,NULL} text,\n\twith\u2028 lines', 'Łucja Öztürk 🎓', "'; --"]
  const values = ['text', '', 'null', 1.5, 0, true, false, [], {}, [null], { a: null, b: { '': ['x', "'"] } }]
  const rows = [
    ...texts.map((someText, position) => factOf(`text ${position}`, { someText })),
    ...values.map((json, position) => factOf(`value ${String(position).padStart(2, '0')}`, { json })),
    factOf('values', { number: -2_147_483_648, isTrue: false, numbers: [2_147_483_647, 0, -1] }),
  ]
  await source.manager.insert(facts, rows)
  expect(await read()).toEqual(rows)
})

test('a column that no row has a value for gets its default', async () => {
  const { rule: _, ...fact } = factOf('one')
  await source.manager.insert(facts, fact)
  expect(await read()).toEqual([{ ...fact, rule: 'instant' }])
})

test('a row that is there is changed in the columns that are told, also to null', async () => {
  await source.manager.insert(facts, [factOf('one', { someText: 'before', number: 1 }), factOf('other')])
  const { rule: _, ...changed } = factOf('one', { number: 2 })
  await source.manager.upsert(facts, [changed], ['id'])
  await source.manager.upsert(facts, factOf('third'), ['id'])
  expect(await read()).toEqual([factOf('one', { number: 2 }), factOf('other'), factOf('third')])
})

test('a row whose id is there is not inserted', async () => {
  await source.manager.insert(facts, factOf('one'))
  await expect(source.manager.insert(facts, factOf('one', { number: 2 }))).rejects.toThrow('duplicate key')
  expect(await read()).toEqual([factOf('one')])
})
