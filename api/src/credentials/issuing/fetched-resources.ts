import { FormatError } from '../../formats/format-error.js'
import { isObject, type Json, textOf } from '../../formats/json.js'
import { otherDigests } from '../../formats/json-ld/canonical/related-resources.js'
import type { RemoteDocuments } from '../../schemas/remote/remote-documents.js'

/**
 * Compares the documents that were fetched for the team with the digests that a credential names for them; what nobody
 * fetched is not used here, and needs no look.
 * @param resources its `relatedResource`s
 * @throws FormatError
 */
export async function checkFetchedResources(remote: RemoteDocuments, resources: readonly Json[]): Promise<void> {
  const urls = new Set(resources.flatMap((one) => (isObject(one) ? (textOf(one.id) ?? []) : [])))
  for (const url of urls)
    for (const bytes of await remote.fetched(url)) {
      const [other] = otherDigests(resources, new Map([[url, bytes]]))
      if (other !== undefined)
        throw new FormatError('malformed', `${other.slice(0, 200)} has another digest than its relatedResource names`)
    }
}
