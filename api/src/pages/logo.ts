import { type Html, html } from '../platform/html.js'

/** A picture that this service keeps. Others are left out: their host would learn who reads the page. */
export function logo(url: string, apiUrl: string): Html | undefined {
  const path = url.startsWith(`${apiUrl}/`) ? url.slice(apiUrl.length) : ''
  return /^\/logos\/[0-9a-f]{64}$/.test(path) ? html`<img class="logo" src="${url}" alt="" loading="lazy">` : undefined
}
