import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { filesBelow, root } from '../test/support/repository-files.js'

/** The metrics that the sources make, and those of the library for every process. */
const OF_THE_LIBRARY = ['nodejs_eventloop_lag_p99_seconds', 'process_resident_memory_bytes']
const sources = filesBelow('').filter((file) => /^(api|signer|indexer)\/src\/.*\.ts$/.test(file) && !/test/.test(file))
const made = new Set([
  ...OF_THE_LIBRARY,
  ...sources.flatMap((file) => readFileSync(join(root, file), 'utf8').match(/(?<=')accredit_[a-z_]+(?=')/g) ?? []),
])

const read = (name: string) => readFileSync(join(root, 'scripts/operate', name), 'utf8')

/** The names of metrics in an expression, without the suffixes of histograms. */
const metricsIn = (expression: string): string[] =>
  (expression.match(/\b(?:accredit|nodejs|process)_[a-z0-9_]+/g) ?? []).map((name) =>
    made.has(name) ? name : name.replace(/_(?:bucket|count|sum)$/, ''),
  )

interface Panel {
  title: string
  targets: { expr: string }[]
}

test('each query of the dashboard names metrics that exist', () => {
  const { panels }: { panels: Panel[] } = JSON.parse(read('grafana-dashboard.json'))
  expect(panels.length).toBeGreaterThan(10)
  for (const { title, targets } of panels)
    for (const { expr } of targets) {
      const names = metricsIn(expr)
      expect([title, names.length > 0]).toEqual([title, true])
      expect([title, names.filter((name) => !made.has(name))]).toEqual([title, []])
    }
})

interface Rule {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string; action: string }
}

test('each alert names metrics that exist, how bad it is, and what to do', () => {
  const { groups }: { groups: { rules: Rule[] }[] } = parse(read('prometheus-alerts.yml'))
  const rules = groups.flatMap((group) => group.rules)
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
  for (const { alert, expr, labels, annotations } of rules) {
    const names = metricsIn(expr)
    expect([alert, names.length > 0, names.filter((name) => !made.has(name))]).toEqual([alert, true, []])
    expect(['warning', 'critical']).toContain(labels.severity)
    expect(Object.keys(annotations)).toEqual(['summary', 'action'])
  }
})

test('a metric that nobody makes is noticed', () => {
  expect(metricsIn('rate(accredit_no_such_total[5m])').filter((name) => !made.has(name))).toEqual([
    'accredit_no_such_total',
  ])
  expect(metricsIn('rate(accredit_http_request_seconds_bucket[5m])')).toEqual(['accredit_http_request_seconds'])
})
