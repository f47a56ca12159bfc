import { notFound } from '../platform/errors.js'
import type { PublicContext } from '../platform/http/context.js'
import { hostedFile } from './schema.store.js'
import { isFileName } from './schema-name.js'

interface HostedFile {
  file: string
  extension: '.json' | '.jsonld'
  part: 'document' | 'context'
  mediaType: string
}

/**
 * Answers a hosted file as JSON; 404 when there is none.
 * @param builtIn the content of one that comes with the service
 */
export async function serveFile(
  ctx: PublicContext,
  { file, extension, part, mediaType }: HostedFile,
  builtIn?: object,
): Promise<string> {
  const name = file.endsWith(extension) ? file.slice(0, -extension.length) : ''
  const isHosted = builtIn === undefined && isFileName(name)
  const content = isHosted ? await ctx.db.read('public', (reader) => hostedFile(reader, name, part)) : builtIn
  if (content === undefined) throw notFound('Document')
  ctx.reply.type(`${mediaType}; charset=utf-8`)
  ctx.reply.header('Cache-Control', 'public, max-age=31536000, immutable')
  return JSON.stringify(content)
}
