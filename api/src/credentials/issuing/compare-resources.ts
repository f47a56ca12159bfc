import { isObject, type Json, textOf } from '../../formats/json.js'
import { otherDigests } from '../../formats/json-ld/canonical/related-resources.js'
import type { RemoteDocuments } from '../../schemas/remote/remote-documents.js'

/** The most resources of one credential that are fetched. */
const MOST_RESOURCES = 4

export interface Compared {
  /** The first resource that has another digest than the credential names. */
  readonly other: string | undefined
  /** Why others could not be compared, by their addresses. */
  readonly missing: ReadonlyMap<string, string>
}

/**
 * Fetches the resources that a credential names, and compares their digests. One that was fetched before as a schema or
 * a context is compared as it is used.
 * @param resources its `relatedResource`s
 */
export async function compareResources(remote: RemoteDocuments, resources: readonly Json[]): Promise<Compared> {
  const urls = [...new Set(resources.flatMap((one) => (isObject(one) ? (textOf(one.id) ?? []) : [])))]
  const missing = new Map<string, string>(
    urls.slice(MOST_RESOURCES).map((url) => [url, `at most ${MOST_RESOURCES} of a credential are fetched`]),
  )
  const others = await Promise.all(
    urls.slice(0, MOST_RESOURCES).map(async (url) => {
      const found = await remote.bytesAt(url)
      if ('reason' in found) missing.set(url, found.reason)
      const all = 'reason' in found ? [] : found
      return all.flatMap((bytes) => otherDigests(resources, new Map([[url, bytes]])))
    }),
  )
  return { other: others.flat()[0], missing }
}
