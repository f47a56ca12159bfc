import { type Static, Type } from 'typebox'
import { POLICIES } from '../../platform/database/kept-data.js'
import { ROLES } from '../../platform/database/tables.js'
import { RetentionPolicy, RetentionPolicyChange } from './retention-policy.js'

const id = (description: string) => Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description })

/** A name on one line, that people can read. */
export const NameText = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 256,
    pattern: '^[^\\u0000-\\u001f\\u007f]*[^\\u0000-\\u0020\\u007f][^\\u0000-\\u001f\\u007f]*$',
    description,
  })

/** An address in ASCII: no other letter is taken for one of its letters. */
export const Email = Type.String({
  maxLength: 254,
  pattern: "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)*$",
  description: 'An e-mail address in ASCII characters',
})

/** The one form of an address, by which people are found. */
export const emailOf = (text: string): string => text.trim().toLowerCase()

export const Team = Type.Object({
  id: Type.Integer({ description: 'The number of the team' }),
  name: Type.Union([Type.String(), Type.Null()], { description: 'The name that its people gave it' }),
  team_owner_id: Type.Union([Type.Integer(), Type.Null()], { description: 'The person who owns it' }),
  parentId: Type.Union([Type.Integer(), Type.Null()], { description: 'The team whose sub-account it is' }),
  created: Type.String({ description: 'The time of its making' }),
  retentionPolicy: RetentionPolicy,
  notYetEnforced: Type.Array(Type.Enum([...POLICIES]), {
    description:
      'The policies that are stored, and enforced from the day on which the service keeps data of their kind',
  }),
  storeSubjectRef: Type.Boolean({ description: 'Whether the ids of subjects are kept with credentials' }),
})
export type Team = Static<typeof Team>

export const TeamRequest = Type.Object({ name: NameText('The name of the team') })

export const TeamChange = Type.Object({
  ...TeamRequest.properties,
  retentionPolicy: Type.Optional(RetentionPolicyChange),
  storeSubjectRef: Type.Optional(
    Type.Boolean({
      description:
        'true: GET /credentials tells and finds the ids of the subjects of credentials that are issued from then on. They may be personal data. false forgets those that were kept, too',
    }),
  ),
})

export const TeamParams = Type.Object({ id: id('The number of your team') })
export const MemberParams = Type.Object({ id: id('The number of your team'), user_id: id('The person') })
export const InvitationParams = Type.Object({ id: id('The number of your team'), invitation_id: id('The invitation') })

/** The roles that are given; that of the owner goes over by a transfer. */
export const GivenRole = Type.Enum(['administrator', 'member'], {
  description: 'The owner’s role is not given: it goes over by a transfer',
})

export const TeamMember = Type.Object({
  id: Type.Integer({ description: 'The number of the person' }),
  name: Type.String({ description: 'The name of the person' }),
  email: Type.Union([Type.String(), Type.Null()], { description: 'The address that the person signs in with' }),
  image: Type.String({ description: 'An image of the person; empty without one' }),
  role: Type.Enum([...ROLES], { description: 'The role in the team' }),
})
export type TeamMember = Static<typeof TeamMember>

export const INVITATION_STATES = ['pending', 'accepted', 'canceled'] as const

export const TeamInvitation = Type.Object({
  id: Type.Integer({ description: 'The number of the invitation' }),
  email: Type.String({ description: 'The invited address' }),
  status: Type.Enum([...INVITATION_STATES], { description: 'pending until it is accepted or canceled' }),
  role: GivenRole,
  created: Type.String({ description: 'The time of its making' }),
  sent: Type.String({ description: 'The time of its last mail' }),
  expires: Type.String({ description: 'Until when it can be accepted' }),
})
export type TeamInvitation = Static<typeof TeamInvitation>

/** The answer that clients of the field read as done. */
export const Done = Type.Object({ code: Type.Integer({ description: '200: it is done' }) })
export const DONE = { code: 200 }
