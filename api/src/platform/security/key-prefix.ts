import type { EnvironmentName } from '../../config.js'

/** The kinds of keys: a team's own, and that of a sponsor of mobile wallets, which opens no operation of a team. */
export type KeyKind = 'api' | 'sponsor'

/** The beginnings of keys, sessions and one-time tokens. Code that logs, or takes a URL, knows them all by this. */
export const KEY_PREFIX: Record<KeyKind | 'session' | 'once', Record<EnvironmentName, string>> = {
  api: { sandbox: 'ak_test_', production: 'ak_live_' },
  sponsor: { sandbox: 'sk_test_', production: 'sk_live_' },
  session: { sandbox: 'st_test_', production: 'st_live_' },
  once: { sandbox: 'ot_test_', production: 'ot_live_' },
}
