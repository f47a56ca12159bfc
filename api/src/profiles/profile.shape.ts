import { Type } from 'typebox'
import { maxLogoText } from './logo.js'

const Did = Type.String({ minLength: 9, maxLength: 128, pattern: '^did:', description: 'A DID of yours' })
// Control characters make a name unreadable, or show another one than is stored.
const Name = Type.String({
  minLength: 1,
  maxLength: 256,
  pattern: '^[^\\u0000-\\u001f\\u007f]*[^\\u0000-\\u0020\\u007f][^\\u0000-\\u001f\\u007f]*$',
  description: 'The name that people see, on one line',
})
const Description = Type.Union([Type.String({ maxLength: 4096 }), Type.Null()], {
  description: 'A description of itself, in its own words',
})
const Logo = Type.Union([Type.String({ maxLength: maxLogoText }), Type.Null()], {
  description:
    'A URL, or a data URI of a jpeg, png or bmp of at most 1 MB, which is then served from a URL; empty for none',
})

/** A body that can carry the largest logo. */
export const bodyBytes = 1_600_000

export const Profile = Type.Object({
  did: Type.String({ description: 'The DID whose profile it is' }),
  name: Type.String({ description: 'The name that people see' }),
  description: Type.String({ description: 'In its own words; empty when none were given' }),
  logo: Type.String({ description: 'An absolute URL, or empty' }),
})

export const ProfileRequest = Type.Object({
  did: Did,
  name: Name,
  description: Type.Optional(Description),
  logo: Type.Optional(Logo),
})

export const ProfileUpdate = Type.Object({
  did: Type.Optional(Type.String({ description: 'The one in the path' })),
  name: Type.Optional(Name),
  description: Type.Optional(Description),
  logo: Type.Optional(Logo),
})

export const ProfileParams = Type.Object({
  did: Type.String({ maxLength: 2000, description: 'A DID, encoded or raw' }),
})
