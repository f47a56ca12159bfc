/** Registries whose convener keeps its own key, over a real ledger: whose they are, and what waits for its signature. */
import { afterAll, describe } from 'vitest'
import { TestService } from '../../credentials/loop.testing.js'
import { OwnKeys } from './own-key.testing.js'
import { acceptanceTests } from './own-key-acceptances.testing.js'
import { changeTests } from './own-key-changes.testing.js'
import { ownershipTests } from './own-key-ownership.testing.js'

const service = await TestService.open()
afterAll(() => service.close())
const keys = new OwnKeys(service)

describe('whose a registry is', () => ownershipTests(keys))
describe('acceptances wait for the signature', () => acceptanceTests(keys))
describe('changes wait for the signature', () => changeTests(keys))
