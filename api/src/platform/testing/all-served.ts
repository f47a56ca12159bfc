import { capabilities } from '../../capabilities.js'
import { servedBy } from '../../capability.js'

/** What the service serves over HTTP, all of it. */
export const allServed = await servedBy(capabilities)
