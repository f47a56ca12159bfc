import { type JsonObject, textOf } from '../../formats/json.js'
import type { Environment } from '../../platform/http/context.js'
import type { NamedRegistry } from '../registry-standing.js'
import type { ClaimedPlace } from '../status-method.js'
import { placeOfList } from './status-entry.js'

/** Returns the lists of ours that a status entry names, by URL or as the ledger does. */
export function claimedPlaces(config: Environment['config'], entry: JsonObject): ClaimedPlace[] {
  return [entry.statusListCredential, entry.id].flatMap((member): ClaimedPlace[] => {
    const uri = textOf(member)
    const place = uri === undefined ? 'elsewhere' : placeOfList(config, uri)
    if (uri === undefined || place === 'elsewhere') return []
    if (place === 'nothing') return [{ uri, registryId: undefined }]
    return isOtherLedger(place) ? [] : [{ uri, registryId: place.registryId }]
  })
}

export const isOtherLedger = ({ ledger }: NamedRegistry): boolean => ledger !== undefined && ledger !== 'svc'
