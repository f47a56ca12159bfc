import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parser } from '@prometheus-io/lezer-promql'
import { describe, expect, it, test } from 'vitest'
import { parse } from 'yaml'
import { compose, unlessSet } from '../test/support/compose.js'
import { filesBelow, root } from '../test/support/repository-files.js'

/** The metrics that the sources make, those of the library for every process, and the one of Prometheus itself. */
const OF_THE_LIBRARY = ['nodejs_eventloop_lag_p99_seconds', 'process_resident_memory_bytes']
const OF_PROMETHEUS = 'up'
const sources = filesBelow('').filter((file) => /^(api|signer|indexer)\/src\/.*\.ts$/.test(file) && !/test/.test(file))
const made = new Set([
  OF_PROMETHEUS,
  ...OF_THE_LIBRARY,
  ...sources.flatMap((file) => readFileSync(join(root, file), 'utf8').match(/(?<=')accredit_[a-z_]+(?=')/g) ?? []),
])

const read = (name: string) => readFileSync(join(root, 'scripts/operate', name), 'utf8')

type SyntaxNode = ReturnType<typeof parser.parse>['topNode']

interface Selector {
  /** The name of a metric, without the suffixes of histograms. */
  metric: string
  isCounter: boolean
  /** The operations around it, the innermost first: `Rate`, `Sum`. */
  within: string[]
}

/** Reads an expression of PromQL by the grammar of Prometheus. @throws where it is none */
function selectorsIn(expression: string): Selector[] {
  const selectors: Selector[] = []
  parser.parse(expression).iterate({
    enter({ node, from }) {
      if (node.type.isError) throw new Error(`no PromQL from character ${from} on: ${expression}`)
      if (node.name === 'VectorSelector') selectors.push(selectorAt(node, expression))
    },
  })
  return selectors
}

function selectorAt(node: SyntaxNode, expression: string): Selector {
  const name = node.getChild('Identifier')
  const written = name ? expression.slice(name.from, name.to) : ''
  const within: string[] = []
  for (let at = node.parent; at; at = at.parent) {
    const operation = at.getChild('AggregateOp') ?? at.getChild('FunctionIdentifier')
    if (operation?.firstChild) within.push(operation.firstChild.name)
  }
  const metric = made.has(written) ? written : written.replace(/_(?:bucket|count|sum)$/, '')
  return { metric, isCounter: /_(?:total|bucket|count|sum)$/.test(written), within }
}

const AGGREGATIONS = ['Sum', 'Max', 'Min', 'Avg', 'Count']

/** Tells what is wrong with an expression, where several replicas have each metric of their own. */
function faultsOf(expression: string): string[] {
  const selectors = selectorsIn(expression)
  const unknown = selectors.filter(({ metric }) => !made.has(metric)).map(({ metric }) => `nobody makes ${metric}`)
  const alone = selectors
    .filter(({ within }) => !within.some((name) => AGGREGATIONS.includes(name) || name === 'Absent'))
    .map(({ metric }) => `${metric} is that of one replica`)
  const counted = selectors
    .filter(({ isCounter, within }) => isCounter && !within.some((name) => name === 'Rate' || name === 'Increase'))
    .map(({ metric }) => `${metric} grows for ever`)
  return [...unknown, ...alone, ...counted, ...(selectors.length === 0 ? ['it asks for nothing'] : [])]
}

interface Rule {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string; action: string }
}
/** A number that an operator sets, under the name of a metric. */
interface Wanted {
  record: string
  expr: string
  labels: { job: string }
}
const { groups }: { groups: { rules: (Rule | Wanted)[] }[] } = parse(read('prometheus-alerts.yml'))
const all = groups.flatMap((group) => group.rules)
const rules = all.filter((rule) => 'alert' in rule)
const wanted = all.filter((rule) => 'record' in rule)
for (const { record } of wanted) made.add(record)

interface Panel {
  title: string
  targets: { expr: string }[]
}
const { panels }: { panels: Panel[] } = JSON.parse(read('grafana-dashboard.json'))
const queries = panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const))

test.each(queries)(
  'the dashboard’s query of "%s" is PromQL over metrics that exist, of all replicas',
  (_title, expr) => {
    expect(faultsOf(expr)).toEqual([])
  },
)

test.each(rules.map(({ alert, expr }) => [alert, expr]))(
  '%s is PromQL over metrics that exist, of all replicas',
  (_alert, expr) => {
    expect(faultsOf(expr)).toEqual([])
  },
)

test('each alert tells how bad it is, and what to do', () => {
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
  for (const { labels, annotations } of rules) {
    expect(['warning', 'critical']).toContain(labels.severity)
    expect(Object.keys(annotations)).toEqual(['summary', 'action'])
  }
})

test('alerts tell of processes that are gone, of jobs that failed, of deliveries that were given up, and of erasures that stand', () => {
  const asked = new Set(rules.flatMap(({ expr }) => selectorsIn(expr).map(({ metric }) => metric)))
  for (const metric of [
    'up',
    'accredit_jobs_ended_total',
    'accredit_jobs_stuck',
    'accredit_webhook_deliveries_dead_total',
    'accredit_forgetting_oldest_open_seconds',
    'accredit_erasure_journal_stands',
  ])
    expect(asked).toContain(metric)
})

test('a replica that has stopped, and is no target any more, is missed by the number that compose starts', () => {
  expect(wanted).toEqual([{ record: 'accredit_replicas_wanted', expr: 'vector(2)', labels: { job: 'accredit-api' } }])
  expect(compose.services.api?.deploy?.replicas).toBe(unlessSet('API_REPLICAS', '2'))
  const { expr = '' } = rules.find(({ alert }) => alert === 'AccreditReplicaMissing') ?? {}
  expect(expr).toBe('sum by (job) (up) < on (job) max by (job) (accredit_replicas_wanted)')
})

test('a fault of an expression is noticed', () => {
  expect(faultsOf('sum(rate(accredit_no_such_total[5m]))')).toEqual(['nobody makes accredit_no_such_total'])
  expect(faultsOf('rate(accredit_http_request_seconds_bucket[5m])')).toEqual([
    'accredit_http_request_seconds is that of one replica',
  ])
  expect(faultsOf('sum(accredit_http_errors_total)')).toEqual(['accredit_http_errors_total grows for ever'])
  expect(faultsOf('1 > 0')).toEqual(['it asks for nothing'])
  expect(() => faultsOf('sum(rate(accredit_http_errors_total[5m]) > 1')).toThrow('no PromQL')
})

describe('prometheus.yml', () => {
  interface Job {
    job_name: string
    dns_sd_configs: { names: string[]; type: string; port: number }[]
  }
  const { rule_files, scrape_configs }: { rule_files: string[]; scrape_configs: Job[] } = parse(read('prometheus.yml'))
  const targets = scrape_configs.flatMap(({ job_name, dns_sd_configs }) =>
    dns_sd_configs.flatMap(({ names, type, port }) => names.map((service) => ({ job_name, service, type, port }))),
  )

  /** The services that serve metrics where others reach them, with their ports. */
  const serving = Object.entries(compose.services).flatMap(
    ([service, { environment = {}, profiles, command = [] }]) => {
      if (profiles !== undefined && !profiles.includes('signer')) return []
      const [, port] = Object.entries(environment).find(([name]) => /_METRICS_PORT$/.test(name)) ?? []
      if (port !== undefined && environment.METRICS_HOST === '0.0.0.0') return { service, port: Number(port) }
      return command.includes('api/dist/main.js') ? { service, port: Number(environment.API_PORT) } : []
    },
  )

  it('asks for the addresses of all replicas of each process that has metrics', () => {
    expect(serving.map(({ service }) => service)).toEqual(['signer', 'signer-tls', 'indexer', 'api', 'worker'])
    expect(targets).toEqual(
      expect.arrayContaining(
        serving.map((one) => ({ ...one, type: 'A', job_name: `accredit-${one.service.replace('-tls', '')}` })),
      ),
    )
    expect(targets.length).toBe(serving.length)
    expect(rule_files).toEqual(['prometheus-alerts.yml'])
  })

  it('finds them all on the network that the README names', () => {
    const [, project, network = ''] = /--network ([a-z]+)_([a-z]+)/.exec(read('README.md')) ?? []
    expect(parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true }).name).toBe(project)
    for (const { service } of serving) expect(compose.services[service]?.networks).toContain(network)
  })

  it('names its jobs as the alert for a process that is gone does', () => {
    const { expr = '' } = rules.find(({ alert }) => alert === 'AccreditProcessDown') ?? {}
    const missed = [...expr.matchAll(/absent\(up\{job="([a-z-]+)"\}\)/g)].map(([, name]) => name)
    expect(missed.sort()).toEqual(scrape_configs.map(({ job_name }) => job_name).sort())
  })
})
