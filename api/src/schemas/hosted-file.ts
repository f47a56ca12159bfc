import type { PublicContext } from '../platform/http/context.js'
import { notFound } from '../platform/http/errors.js'
import { hostedFile } from './schema.store.js'
import { isFileName } from './schema-name.js'

interface HostedFile {
  file: string
  extension: '.json' | '.jsonld'
  part: 'document' | 'context'
  mediaType: string
}

/** Answers a hosted file as JSON; 404 when there is none. */
export async function serveFile(ctx: PublicContext, { file, extension, part, mediaType }: HostedFile): Promise<string> {
  const name = file.endsWith(extension) ? file.slice(0, -extension.length) : ''
  const content = isFileName(name) ? await ctx.db.read('public', (reader) => hostedFile(reader, name, part)) : undefined
  if (content === undefined) throw notFound('Document')
  ctx.reply.type(`${mediaType}; charset=utf-8`)
  ctx.reply.header('Cache-Control', 'public, max-age=31536000, immutable')
  return JSON.stringify(content)
}
