import { expect } from 'vitest'
import { type accountsWorld, answerTo, type Person } from '../people.testing.js'

/** Makes companies of three people in a world that a test has open. */
export function companies(world: () => Awaited<ReturnType<typeof accountsWorld>>) {
  const ask = (session: string, method: string, url: string, body?: object) =>
    answerTo(world().app, { session }, method, url, body)

  let people = 0
  const newAddress = (name: string) => `${name}${people++}@company.example`

  /** A person who joined a team by an invitation, at work in it. */
  async function joined(owner: Person, role: 'administrator' | 'member'): Promise<Person> {
    const email = newAddress(role)
    const invited = await ask(owner.session, 'POST', `/teams/${owner.teamId}/invite`, { emails: [email], role })
    expect(invited.status).toBe(200)
    const accept_invitation_token = await world().token(email)
    const { session, userId } = await world().signIn(email)
    const accepted = await ask(session, 'POST', '/teams/accept-member-invite', { accept_invitation_token })
    expect(accepted).toMatchObject({ status: 200, body: { id: owner.teamId } })
    const { token } = (await ask(session, 'POST', '/auth/sessions', { teamId: owner.teamId })).body
    return { email, session: token, userId, teamId: owner.teamId }
  }

  async function company() {
    const owner = await world().signIn(newAddress('owner'))
    const administrator = await joined(owner, 'administrator')
    const member = await joined(owner, 'member')
    return { owner, administrator, member, path: `/teams/${owner.teamId}` }
  }

  return { ask, company, newAddress }
}
