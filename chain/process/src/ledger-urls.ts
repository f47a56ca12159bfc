/** The settings that say where the ledger's nodes are. */
export interface LedgerUrlSettings {
  LEDGER_URL?: string | undefined
  LEDGER_URLS?: string | undefined
  LEDGER_TOKEN?: string | undefined
}

/**
 * Returns the WebSocket addresses of the ledger's nodes, in the order in which they are tried: those of LEDGER_URLS, or
 * the one of LEDGER_URL with LEDGER_TOKEN as its path.
 *
 * @throws a sentence that names the setting, and never its value, which may hold a secret
 */
export function ledgerUrls({ LEDGER_URLS, LEDGER_URL, LEDGER_TOKEN }: LedgerUrlSettings): string[] {
  const named = (LEDGER_URLS ?? '').split(',').map((url) => url.trim())
  const urls = [...new Set(named.filter((url) => url !== ''))]
  if (urls.length > 0) return checked('LEDGER_URLS', urls)
  if (!LEDGER_URL) throw new Error('LEDGER_URL is not set: the ledger is reached over ws://…')
  return checked('LEDGER_URL', [LEDGER_TOKEN ? `${LEDGER_URL}/${LEDGER_TOKEN}` : LEDGER_URL])
}

function checked(name: string, urls: string[]): string[] {
  if (urls.every((url) => /^wss?:\/\//.test(url) && URL.canParse(url))) return urls
  throw new Error(`${name} cannot have this value: it takes addresses that begin with ws:// or wss://`)
}

/** Returns an address without its path, which may be a token: what may be told of it. */
export const placeOf = (url: string): string => url.split('/').slice(0, 3).join('/')
