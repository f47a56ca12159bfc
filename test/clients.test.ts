/** Tests the OpenAPI document in the software of others. It installs that software: npm run soak -- clients. */
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiKey, apiUrl } from './support/shared-stack.js'

/** The number of generated requests for each operation; without it nothing is installed, and nothing runs. */
const cases = Number(process.env.SOAK_CLIENT_CASES ?? 0)

const NPM = ['@redocly/cli@2.77.0', 'openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', 'typescript@5.9.3']
const PYPI = ['openapi-python-client==0.29.1', 'schemathesis==4.32.5']

/** README's five requests, in a client that knows the document. */
const FIVE_REQUESTS = `
import createClient from 'openapi-fetch'
import type { paths } from './schema.js'

const [baseUrl = '', key = ''] = process.argv.slice(2)
const api = createClient<paths>({ baseUrl, headers: { 'SVC-API-TOKEN': key } })
const answered = <Data>({ data, error }: { data?: Data; error?: unknown }): Data => {
  if (data === undefined) throw new Error(JSON.stringify(error))
  return data
}

const created = answered(await api.POST('/dids', { body: {} }))
if (!('did' in created)) throw new Error('no DID')
const { did } = created
answered(await api.POST('/profiles', { body: { did, name: 'Bilkent Üniversitesi' } }))
const { data: schema } = answered(
  await api.POST('/schemas', {
    body: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      name: 'Degree',
      type: 'object',
      properties: { id: { type: 'string' }, degree: { type: 'string' } },
      required: ['degree'],
      additionalProperties: false,
    },
  }),
)
const credential = answered(
  await api.POST('/credentials', {
    body: {
      revocable: true,
      credential: {
        issuer: did,
        schema: schema.uri,
        type: ['DegreeCredential'],
        subject: { id: 'did:example:graduate', degree: 'M.Sc. Physics' },
      },
    },
  }),
)
// A credential of another format is a text.
const body = typeof credential === 'string' ? { data: credential } : { ...credential }
const { verified, checks } = answered(await api.POST('/verify', { body }))
if (!verified) throw new Error(JSON.stringify(checks))
console.log('verified')
`

const PYTHON_CALL = `
import sys
from accredit_client import AuthenticatedClient
from accredit_client.api.dids import create_did, list_dids
from accredit_client.models import CreateDidBody
client = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2])
made = create_did.sync(client=client, body=CreateDidBody())
assert any(one.did == made.did for one in list_dids.sync(client=client))
print('listed')
`

let folder: string

/** @throws the command's output, when it fails */
function run(command: string, args: string[], env: Record<string, string> = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: folder,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`${command} ${args.join(' ')}: ${code}\n${output}`)),
    )
  })
}

const installed = (name: string): string => join(folder, 'node_modules', '.bin', name)
const python = (name: string): string => join(folder, 'python', 'bin', name)

describe.runIf(cases > 0)('software of others reads the OpenAPI document', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'accredit-clients-'))
    await writeFile(join(folder, 'openapi.json'), await (await fetch(`${apiUrl}/openapi.json`)).text())
    await writeFile(join(folder, 'package.json'), '{ "type": "module", "private": true }')
    await run('npm', ['install', '--no-audit', '--no-fund', '--no-save', ...NPM])
    await run('python3', ['-m', 'venv', 'python'])
    await run(python('pip'), ['install', '--quiet', ...PYPI])
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('a linter finds no error in it', async () => {
    const output = await run(installed('redocly'), ['lint', 'openapi.json'], { REDOCLY_TELEMETRY: 'off' })
    expect(output).toContain('Your API description is valid')
  })

  it("a client in TypeScript compiles with README's five requests, and they are done", async () => {
    await run(installed('openapi-typescript'), ['openapi.json', '-o', 'schema.d.ts'])
    await writeFile(join(folder, 'five-requests.ts'), FIVE_REQUESTS)
    const options = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--skipLibCheck', 'false']
    await writeFile(join(folder, 'globals.d.ts'), 'declare const process: { argv: string[] }')
    await run(installed('tsc'), [...options, 'five-requests.ts', 'globals.d.ts'])
    expect(await run(process.execPath, ['five-requests.js', apiUrl, apiKey])).toBe('verified\n')
  })

  it('a client in Python is generated whole, and makes a DID', async () => {
    // The generator knows one kind of binary answers and one kind of bodies.
    const types = ['image/jpeg', 'image/png', 'image/bmp'].map((type) => `  ${type}: application/octet-stream`)
    const lines = [
      'project_name_override: accredit-client',
      'package_name_override: accredit_client',
      'post_hooks: []',
      'content_type_overrides:',
      ...types,
      '  application/x-ndjson: application/octet-stream',
    ]
    await writeFile(join(folder, 'python.yml'), lines.join('\n'))
    const output = await run(python('openapi-python-client'), [
      ...['generate', '--path', 'openapi.json', '--config', 'python.yml', '--output-path', 'client'],
    ])
    expect(output).not.toMatch(/WARNING|ERROR/)
    await writeFile(join(folder, 'call.py'), PYTHON_CALL)
    expect(await run(python('python'), ['call.py', apiUrl, apiKey], { PYTHONPATH: join(folder, 'client') })).toBe(
      'listed\n',
    )
  })

  it('a fuzzer gets no answer that the document does not describe', async () => {
    // A request that is too long to reach an operation is refused all the same.
    const refusals = [400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 429, 431, 501]
    await writeFile(
      join(folder, 'schemathesis.toml'),
      `[checks]\nnegative_data_rejection.expected-statuses = [${refusals.join(', ')}]\n`,
    )
    await run(python('schemathesis'), [
      ...['run', 'openapi.json', '--url', apiUrl, '-H', `SVC-API-TOKEN: ${apiKey}`, '--no-color'],
      ...['--phases', 'examples,fuzzing', '--max-examples', String(cases), '--continue-on-failure'],
      // The generated DIDs and registries are nobody's, so rules refuse the requests. The fuzzer writes no NDJSON.
      ...[
        '--exclude-checks',
        'positive_data_acceptance',
        '--exclude-path-regex',
        '/participants/bulk$|/credentials/batch$',
      ],
    ])
  })
})
