import type { EnvironmentName } from '../../config.js'

/** The kinds: a team's own key, and that of a sponsor of mobile wallets, which opens no operation. */
export type KeyKind = 'api' | 'sponsor'

/** The beginnings of keys. Code that logs, or takes a URL, knows them all by this. */
export const KEY_PREFIX: Record<KeyKind, Record<EnvironmentName, string>> = {
  api: { sandbox: 'ak_test_', production: 'ak_live_' },
  sponsor: { sandbox: 'sk_test_', production: 'sk_live_' },
}
