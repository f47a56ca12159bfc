import { expect, test } from 'vitest'
import { data } from '../data/operations.js'
import { RowWriter } from '../data/rows.testing.js'
import { forAllTests } from '../platform/testing/for-all-tests.js'
import { accounts } from './operations.js'
import { accountsWorld, answerTo, type Person } from './people.testing.js'

const world = forAllTests(async () => {
  const opened = await accountsWorld({}, [accounts, data])
  const writer = await RowWriter.open(opened.scratch.adminUrl)
  return { ...opened, writer, close: () => writer.close().finally(opened.close) }
})

let people = 0
const somebody = () => {
  people += 1
  return world().signIn(`edge-${people}@limits.example`)
}

const ask = (person: Person, method: string, url: string, body?: object) =>
  answerTo(world().app, person, method, url, body)

const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).sort()

/** The things that a team, or a person, has at most so many of. */
const COUNTED: readonly {
  what: string
  most: number
  /** Adds so many without asking the service. */
  fill(person: Person, count: number): Promise<unknown>
  add(person: Person): Promise<{ status: number }>
}[] = [
  {
    what: 'keys of a team',
    most: 1000,
    fill: ({ teamId }, count) =>
      world().writer.query(
        `insert into service.api_keys (team_id, hash, public_part, role)
         select $1, sha256(($1::bigint || ' ' || n)::bytea), 'key-' || n, 'member' from generate_series(1, $2::int) n`,
        [teamId, count],
      ),
    add: (person) => ask(person, 'POST', '/keys', {}),
  },
  {
    what: 'sub-accounts of a team',
    most: 1000,
    fill: ({ teamId }, count) =>
      world().writer.query(
        `insert into service.teams (name, parent_id) select 'Faculty', $1 from generate_series(1, $2::int)`,
        [teamId, count],
      ),
    add: (person) => ask(person, 'POST', '/subaccounts', { name: 'Faculty' }),
  },
  {
    what: 'teams of a person',
    most: 100,
    // The person is in one already.
    fill: ({ userId }, count) =>
      world().writer.query(
        `with made as (insert into service.teams (name) select 'Team' from generate_series(2, $2::int) returning id)
         insert into service.team_members (team_id, user_id, role) select id, $1, 'member' from made`,
        [userId, count],
      ),
    add: (person) => ask(person, 'POST', '/teams', { name: 'Another' }),
  },
]

test.each(COUNTED)(
  '$what: $most are taken, and one more is refused, also when many are asked for at once',
  async (of) => {
    const person = await somebody()
    await of.fill(person, of.most - 2)
    expect((await of.add(person)).status).toBe(200)
    const atOnce = await Promise.all(Array.from({ length: 4 }, () => of.add(person)))
    expect(statuses(atOnce)).toEqual([200, 409, 409, 409])
    expect((await of.add(person)).status).toBe(409)
  },
)

test('the 101st session of a person ends the first', async () => {
  const first = await somebody()
  const { writer } = world()
  await writer.query(
    `insert into service.sessions (team_id, user_id, hash, created, expires)
     select $1, $2, sha256(('session ' || $2::bigint || n)::bytea), now(), now() + interval '1 day' from generate_series(1, 98) n`,
    [first.teamId, first.userId],
  )
  await world().signIn(first.email)
  expect((await ask(first, 'GET', '/teams')).status).toBe(200)
  await world().signIn(first.email)
  await expect.poll(async () => (await ask(first, 'GET', '/teams')).status).toBe(401)
  const left = await writer.query('select from service.sessions where user_id = $1', [first.userId])
  expect(left).toHaveLength(100)
})

const text = (length: number) => 'x'.repeat(length)
const addresses = (count: number) => Array.from({ length: count }, () => '203.0.113.7')
let invited = 0
const emails = (count: number) =>
  Array.from({ length: count }, () => {
    invited += 1
    return `invited-${invited}@limits.example`
  })
const ids = (count: number) => Array.from({ length: count }, (_, n) => `urn:credential:${n}`)

/** The least and the most that a request may have, one below, at, and one above. */
const BOUNDS: readonly {
  member: string
  send(person: Person, amount: number): Promise<{ status: number }>
  amounts: readonly (readonly [amount: number, status: number])[]
}[] = [
  ...['/keys', '/subaccounts', '/teams/TEAM/members', '/teams/TEAM/invitations', '/data/transactions'].map((path) => ({
    member: `limit of GET ${path}`,
    send: (person: Person, limit: number) =>
      ask(person, 'GET', `${path.replace('TEAM', String(person.teamId))}?limit=${limit}`),
    amounts: [
      [0, 400],
      [1, 200],
      [2, 200],
      [63, 200],
      [64, 200],
      [65, 400],
    ] as const,
  })),
  {
    member: 'offset of GET /keys',
    send: (person, offset) => ask(person, 'GET', `/keys?offset=${offset}`),
    amounts: [
      [-1, 400],
      [0, 200],
      [1, 200],
      [2 ** 31 - 2, 200],
      [2 ** 31 - 1, 200],
      [2 ** 31, 400],
    ],
  },
  {
    member: 'limit of the audit',
    send: (person, limit) => ask(person, 'GET', `/teams/${person.teamId}/audit?limit=${limit}`),
    amounts: [
      [0, 400],
      [1, 200],
      [999, 200],
      [1000, 200],
      [1001, 400],
    ],
  },
  {
    member: 'addresses of a key',
    send: (person, count) => ask(person, 'POST', '/keys', { ips: addresses(count) }),
    amounts: [
      [0, 200],
      [1, 200],
      [99, 200],
      [100, 200],
      [101, 400],
    ],
  },
  {
    member: 'characters of an alias',
    send: (person, length) => ask(person, 'POST', '/keys', { alias: text(length) }),
    amounts: [
      [0, 200],
      [1, 200],
      [199, 200],
      [200, 200],
      [201, 400],
    ],
  },
  {
    member: 'seconds of overlap',
    send: async (person, overlapSeconds) => {
      const { key } = (await ask(person, 'POST', '/keys', {})).body
      return ask(person, 'POST', `/keys/${key}/rotate`, { overlapSeconds })
    },
    amounts: [
      [-1, 400],
      [0, 200],
      [1, 200],
      [604_799, 200],
      [604_800, 200],
      [604_801, 400],
    ],
  },
  {
    member: 'addresses that are invited',
    send: (person, count) => ask(person, 'POST', `/teams/${person.teamId}/invite`, { emails: emails(count) }),
    amounts: [
      [0, 400],
      [1, 200],
      [49, 200],
      [50, 200],
      [51, 400],
    ],
  },
  {
    member: 'characters of the name of a team',
    send: (person, length) => ask(person, 'PATCH', `/teams/${person.teamId}`, { name: text(length) }),
    amounts: [
      [0, 400],
      [1, 200],
      [2, 200],
      [255, 200],
      [256, 200],
      [257, 400],
    ],
  },
  {
    member: 'characters of the name of a sub-account',
    send: (person, length) => ask(person, 'POST', '/subaccounts', { name: text(length) }),
    amounts: [
      [0, 400],
      [1, 200],
      [2, 200],
      [255, 200],
      [256, 200],
      [257, 400],
    ],
  },
  {
    member: 'characters of the image of a sub-account',
    send: (person, length) => ask(person, 'POST', '/subaccounts', { name: 'Faculty', image: text(length) }),
    amounts: [
      [0, 200],
      [65_535, 200],
      [65_536, 200],
      [65_537, 400],
    ],
  },
  {
    member: 'transactions a month of a sub-account',
    send: (person, monthlyLimit) => ask(person, 'POST', '/subaccounts', { name: 'Faculty', monthlyLimit }),
    amounts: [
      [-1, 400],
      [0, 200],
      [1, 200],
      [2 ** 53 - 2, 200],
      [2 ** 53 - 1, 200],
      [2 ** 53, 400],
    ],
  },
  {
    member: 'credentials that are erased',
    send: (person, count) => ask(person, 'POST', '/data/erasures', { credentialIds: ids(count) }),
    amounts: [
      [0, 400],
      [1, 200],
      [99, 200],
      [100, 200],
      [101, 400],
    ],
  },
]

test.each(BOUNDS)('$member: the edges hold', async ({ send, amounts }) => {
  const person = await somebody()
  for (const [amount, status] of amounts)
    expect([amount, (await send(person, amount)).status]).toEqual([amount, status])
})

test('an invitation is sent again a day after the last time, and not half a minute earlier', async () => {
  const owner = await somebody()
  const { clock, writer } = world()
  // The session is over by then.
  const sent = async () => (await ask(await world().signIn(owner.email), 'POST', `${path}/resend`)).status
  const [address = ''] = emails(1)
  const { invitations } = (await ask(owner, 'POST', `/teams/${owner.teamId}/invite`, { emails: [address] })).body
  const path = `/teams/${owner.teamId}/invitations/${invitations[0].id}`
  const moveTo = async (secondsBeforeADay: number) => {
    const [row] = await writer.query<{ sent: Date }>('select sent from service.team_invitations where id = $1', [
      invitations[0].id,
    ])
    clock.offset = Number(row?.sent) + 86_400_000 - secondsBeforeADay * 1000 - Date.now()
  }
  try {
    for (const round of ['first', 'second']) {
      await moveTo(30)
      expect([round, await sent()]).toEqual([round, 400])
      await moveTo(0)
      expect([round, await sent()]).toEqual([round, 200])
      expect([round, await sent()]).toEqual([round, 400])
    }
  } finally {
    clock.offset = 0
  }
})
