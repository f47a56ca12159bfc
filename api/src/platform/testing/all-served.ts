import { capabilities } from '../../capabilities.js'
import { servedBy } from '../../capability.js'

/** Everything that the service serves over HTTP. */
export const allServed = await servedBy(capabilities)
