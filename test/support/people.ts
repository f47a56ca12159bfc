import { createHash, randomBytes } from 'node:crypto'
import pg from 'pg'

const sha256 = (secret: string): Buffer => createHash('sha256').update(secret).digest()
const secret = (kind: 'st' | 'ot'): string => `${kind}_test_${randomBytes(32).toString('hex')}`

/** People of the team of a key, as if they had read their mails. */
export interface People {
  team: number
  /** An administrator, who holds every new session. */
  administrator: { userId: number; email: string }
  members: [userId: number, userId: number]
  /** Returns a session of the administrator. */
  newSession(): Promise<string>
  /** Returns the token of a link that signs somebody in. */
  newLink(): Promise<string>
  /** Makes a list the one of a wallet with this DID. */
  giveList(registryId: string, did: string): Promise<void>
  /** Returns the number of an invitation to the team. */
  invitationToTeam(): Promise<string>
  /** Returns the token of an invitation of the administrator to another team. */
  newInvitation(): Promise<string>
}

export async function peopleOf(databaseUrl: string, apiKey: string): Promise<People> {
  const ask = async <Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> => {
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    try {
      return (await client.query<Row>(text, values)).rows
    } finally {
      await client.end()
    }
  }
  const idOf = ([row]: { id: string }[]): number => Number(row?.id)
  const team = idOf(await ask('select team_id as id from service.api_keys where hash = $1', [sha256(apiKey)]))
  const person = async (role: string) => {
    const email = `${randomBytes(6).toString('hex')}@example.org`
    const values = [email, team, role]
    const made = await ask<{ id: string }>(
      `with made as (insert into service.users (email, name) values ($1, 'Somebody') returning id)
       insert into service.team_members (team_id, user_id, role) select $2, id, $3 from made returning user_id as id`,
      values,
    )
    return { userId: idOf(made), email }
  }
  const administrator = await person('administrator')
  const members: People['members'] = [(await person('member')).userId, (await person('member')).userId]
  const { userId, email } = administrator
  return {
    team,
    administrator,
    members,
    async invitationToTeam() {
      const values = [team, `${randomBytes(6).toString('hex')}@example.org`, sha256(secret('ot'))]
      const made = await ask<{ id: string }>(
        `insert into service.team_invitations (team_id, email, role, hash, created, sent, expires)
         values ($1, $2, 'member', $3, now(), now(), now() + interval '1 day') returning id`,
        values,
      )
      return String(idOf(made))
    },
    async newSession() {
      const token = secret('st')
      await ask(
        `insert into service.sessions (team_id, user_id, hash, created, expires)
         values ($1, $2, $3, now(), now() + interval '1 hour')`,
        [team, userId, sha256(token)],
      )
      return token
    },
    async newLink() {
      const token = secret('ot')
      const values = [sha256(token), email]
      await ask(`insert into service.sign_in_links values ($1, $2, now() + interval '1 hour')`, values)
      return token
    },
    async giveList(registryId, did) {
      const values = [`0x${registryId}`, team, did]
      await ask('insert into service.delegatable_registries values ($1, $2, $3, now())', values)
    },
    async newInvitation() {
      const token = secret('ot')
      await ask(
        `with other as (insert into service.teams (name) values ('Another team') returning id)
         insert into service.team_invitations (team_id, email, role, hash, created, sent, expires)
         select id, $1, 'member', $2, now(), now(), now() + interval '1 hour' from other`,
        [email, sha256(token)],
      )
      return token
    },
  }
}
