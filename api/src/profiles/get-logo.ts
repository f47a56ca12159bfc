import { parseHex32 } from '@accredit/chain'
import { Type } from 'typebox'
import { notFound } from '../platform/http/errors.js'
import { isIdentifier } from '../platform/http/identifiers.js'
import { operation } from '../platform/http/operation.js'
import { findLogo } from './logo.store.js'

export const getLogo = operation({
  method: 'GET',
  url: '/logos/:sha256',
  operationId: 'getLogo',
  tags: ['profiles'],
  summary: 'Get a stored logo',
  description: 'A jpeg, png or bmp. Its address holds the hash of its bytes, so that it never changes.',
  auth: 'public',
  tenancy: 'public',
  input: 'standard',
  params: Type.Object({
    sha256: Type.String({
      maxLength: 200,
      ...isIdentifier('digest'),
      description: 'The hash of its bytes, as its address has it',
    }),
  }),
  response: { 200: Type.Unknown() },
  mediaTypes: ['image/jpeg', 'image/png', 'image/bmp'],
  errors: ['not_found'],
  handler: async (ctx, { params: { sha256 } }) => {
    const hash = parseHex32(sha256)?.slice(2)
    const logo = hash === undefined ? undefined : await ctx.db.read('public', (reader) => findLogo(reader, hash))
    if (logo === undefined) throw notFound('Logo')
    ctx.reply.type(logo.mediaType)
    ctx.reply.header('Cache-Control', 'public, max-age=31536000, immutable')
    // The bytes are a stranger's: no program may take them for another type, or run them.
    ctx.reply.header('X-Content-Type-Options', 'nosniff')
    ctx.reply.header('Content-Security-Policy', "default-src 'none'; sandbox")
    ctx.reply.header('Cross-Origin-Resource-Policy', 'cross-origin')
    return logo.bytes
  },
})
