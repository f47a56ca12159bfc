import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type Answer, pathOf, TestService } from '../../credentials/loop.testing.js'
import type { Credential } from '../../formats/credential-format.js'
import { FORMATS } from '../../formats/formats.js'
import type { Json, JsonObject } from '../../formats/json.js'
import { type RemoteHost, remoteHost } from '../../schemas/remote/remote-host.testing.js'
import { STATUS_METHODS } from '../../status/status-methods.js'
import { mapConcurrent } from '../map-concurrent.js'
import { allCells, type Cell, cellName, DRAFTS, isPossible, pairwise, SHAPES, statusName } from './cells.testing.js'
import { automaticType, LINES, MODELS, modelsOf, nameOf } from './lines.testing.js'
import { tableOf } from './table.testing.js'
import { tamperedOf } from './tampered.testing.js'

const README = fileURLToPath(new URL('../../../../README.md', import.meta.url))
const PASSWORD = 'correct horse'
/**
 * `npm run soak -- matrix` takes every cell and every change, or with SOAK_MATRIX=2/30 those of the second of thirty
 * parts; the tests all pairs, and a change of each member.
 */
const asked = process.env.SOAK_MATRIX
const IS_WHOLE = asked !== undefined
const [part = 1, parts = 1] = asked === undefined || asked === 'whole' ? [] : asked.split('/').map(Number)

// Anonymous credentials are signed by threads that give way to everything else. The soak has a time of its own.
if (!IS_WHOLE) vi.setConfig({ testTimeout: 600_000 })

const REGISTRY_TYPES = STATUS_METHODS.map(({ registryType }) => registryType)
const cells = allCells(REGISTRY_TYPES)
const possible = cells.filter(isPossible)
const impossible = cells.filter((cell) => !isPossible(cell))
const chosen = IS_WHOLE
  ? cells.filter((_, at) => at % parts === part - 1)
  : [...pairwise(possible), ...pairwise(impossible)]

interface Issued {
  cell: Cell
  /** Its place among the credentials of its line, and of lines beside it: their changes come by turns. */
  turn: number
  id: string
  credential: Credential
}

let service: TestService
let host: RemoteHost
let issuer: string
/** The registries by their types. */
const registries = new Map<string, string>()
const issued: Issued[] = []

beforeAll(async () => {
  ;[service, host] = await Promise.all([TestService.open(), remoteHost()])
  issuer = await service.did()
  // The cells' credentials are found by their subjects.
  await service.storeSubjectRefs()
  for (const type of REGISTRY_TYPES) {
    const { body } = await service.call('POST', '/registries', { policy: [issuer], type })
    expect(await service.finished(body.id)).toBe('finalized')
    registries.set(type, body.data.id)
  }
})
afterAll(() => Promise.all([service.close(), host.close()]))

it('every algorithm of every format and every status method of the service has a line in the matrix', () => {
  const algorithms = FORMATS.flatMap(({ name, algorithms }) => algorithms.map((one) => `${name} ${one.name}`))
  const lines = LINES.map(nameOf)
  for (const name of algorithms) expect(lines, `format ${name} has no line in the matrix`).toContain(name)
  expect(lines.filter((name) => !algorithms.includes(name))).toEqual([])
  const statuses = LINES.flatMap((line) => Object.values(line.models).flat())
  const automatic = LINES.flatMap((line) => modelsOf(line).map((model) => automaticType(line, model)))
  for (const type of REGISTRY_TYPES)
    expect([...statuses, ...automatic], `status method ${type} has no line in the matrix`).toContain(type)
  expect(statuses.filter((type) => !REGISTRY_TYPES.includes(type))).toEqual([])
})

const schemaUris = new Map<string, Promise<string | undefined>>()

/** The URI of a cell's schema, which is made once. undefined: it has none. */
async function schemaUri({ schema }: Cell): Promise<string | undefined> {
  if (schema === undefined) return undefined
  const { shape, place, draft } = schema
  const document: JsonObject = {
    $schema: DRAFTS[draft],
    name: `${shape} ${draft}`,
    type: 'object',
    properties: { id: { type: 'string' }, ...SHAPES[shape].properties },
    required: Object.keys(SHAPES[shape].properties),
    additionalProperties: false,
  }
  if (place === 'elsewhere') return host.put(`/schemas/${shape}/${draft}`, document)
  if (place === 'embedded') return `data:application/schema+json,${encodeURIComponent(JSON.stringify(document))}`
  const { status, body } = await service.call('POST', '/schemas', document)
  expect({ status, body }).toMatchObject({ status: 200 })
  return body.data.uri
}

const onceFor = (cell: Cell): Promise<string | undefined> => {
  const key = JSON.stringify(cell.schema)
  const known = schemaUris.get(key) ?? schemaUri(cell)
  schemaUris.set(key, known)
  return known
}

const subjectId = (at: number): string => `did:example:cell-${at}-of-${process.pid}`

async function issue(cell: Cell, at: number): Promise<Answer> {
  const { line, model, status, schema } = cell
  const uri = await onceFor(cell)
  const registry = registries.get(statusName(status))
  const credential = {
    ...MODELS[model],
    issuer,
    type: 'Degree',
    subject: { id: subjectId(at), ...SHAPES[schema?.shape ?? 'none'].subject },
    ...(uri !== undefined && { schema: uri }),
    ...(registry !== undefined && { status: registry }),
  }
  const wanted = { format: line.format, algorithm: line.algorithm, persist: true, password: PASSWORD }
  return service.issue(credential, { ...wanted, revocable: status === 'automatic' })
}

/** The cells for which something fails, with what it is. */
async function failuresOf(check: (one: Issued) => Promise<unknown>, atOnce = 8): Promise<unknown[]> {
  const found = await mapConcurrent(issued, atOnce, async (one) => {
    const wrong = await check(one)
    return wrong === undefined ? [] : [[cellName(one.cell), wrong]]
  })
  return found.flat()
}

const verify = async (credential: Json) => (await service.call('POST', '/verify', { data: credential })).body
const failedChecks = (body: { checks: { passed: boolean | null }[] }) =>
  body.checks.filter(({ passed }) => passed === false)

it('issues every cell, and refuses those that cannot be with a 400 and the reason', async () => {
  const wrong: unknown[] = []
  for (const [at, cell] of chosen.entries()) {
    const { status, body } = await issue(cell, at)
    if (!isPossible(cell)) {
      if (status !== 400 || typeof body.message !== 'string') wrong.push([cellName(cell), status, body])
    } else if (status !== 200) wrong.push([cellName(cell), status, body])
    else issued.push({ cell, turn: turnOf(cell), id: await idOf(at), credential: body })
  }
  expect(wrong).toEqual([])
  expect(issued).toHaveLength(chosen.filter(isPossible).length)
})

/** The credentials of a line with costly signatures: each of these lines has a part of the places. */
const OF_COSTLY = 4
const turnOf = ({ line }: Cell): number =>
  OF_COSTLY * LINES.indexOf(line) + issued.filter((one) => one.cell.line === line).length

/** The id of the credential, as its metadata tell it. */
async function idOf(at: number): Promise<string> {
  const { body } = await service.call('GET', `/credentials?filter=${encodeURIComponent(subjectId(at))}`)
  expect(body).toHaveLength(1)
  return body[0].id
}

it('gives each back as it was issued: to its team, and to anybody by its public link', async () => {
  const link = `?p=${encodeURIComponent(Buffer.from(PASSWORD).toString('base64'))}`
  const failures = await failuresOf(async ({ id, credential }) => {
    const kept = await service.call('GET', `${pathOf(id)}?password=${encodeURIComponent(PASSWORD)}`)
    const open = await service.call('GET', new URL(id).pathname + link, undefined, '')
    const same = [kept.body?.credential, open.body].map((one) => JSON.stringify(one) === JSON.stringify(credential))
    return same.every(Boolean) ? undefined : [kept, open]
    // Opening is slow on purpose, and an address may open a few at once.
  }, 2)
  expect(failures).toEqual([])
})

it('verifies each, its schema and its status too', async () => {
  const failures = await failuresOf(async ({ cell, credential }) => {
    const body = await verify(credential)
    const passed = body.checks.filter((one: { passed: boolean | null }) => one.passed).map((one: Json) => nameIn(one))
    const wanted = ['proof', ...(cell.schema ? ['schema'] : []), ...(cell.status === 'none' ? [] : ['status'])]
    return body.verified && wanted.every((name) => passed.includes(name)) ? undefined : failedChecks(body)
  })
  expect(failures).toEqual([])
})

const nameIn = (check: Json): Json | undefined => Object(check).check

it('verifies none of them with any member changed, removed or added', async () => {
  let tried = 0
  const failures = await failuresOf(async ({ cell, turn, credential }) => {
    const verified: string[] = []
    for (const { what, credential: other } of tamperedOf(cell.line, credential, IS_WHOLE ? undefined : turn)) {
      tried += 1
      const { status, body } = await service.call('POST', '/verify', { data: other })
      if (status >= 500 || (status === 200 && body.verified !== false)) verified.push(`${what}: ${status}`)
    }
    return verified.length > 0 ? verified : undefined
  })
  expect(failures).toEqual([])
  expect(tried).toBeGreaterThan(500)
})

it.each([
  ['revoke', false],
  ['unrevoke', true],
] as const)('after %s each that has a status is verified: %s', async (action, isGood) => {
  const jobs = new Map<string, string>()
  const refused = await failuresOf(async ({ cell, id }) => {
    if (cell.status === 'none') return undefined
    const { status, body } = await service.call('POST', `${pathOf(id)}/${action}`)
    jobs.set(id, body.id)
    return status === 200 ? undefined : body
  })
  expect(refused).toEqual([])
  const failures = await failuresOf(async ({ cell, id, credential }) => {
    const job = jobs.get(id)
    if (job !== undefined && (await service.finished(job)) !== 'finalized') return `the job ${job} failed`
    const body = await verify(credential)
    const [first] = failedChecks(body)
    if (cell.status === 'none' || isGood) return body.verified ? undefined : first
    return !body.verified && JSON.stringify(first).includes('"revoked"') ? undefined : body
  })
  expect(failures).toEqual([])
})

it.skipIf(parts > 1)('README shows the matrix as it was run', () => {
  const table = tableOf(
    issued.map(({ cell }) => cell),
    REGISTRY_TYPES,
  )
  expect(readFileSync(README, 'utf8').includes(table), `README lacks this table:\n${table}`).toBe(true)
})
