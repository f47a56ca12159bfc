import { type Html, html, Html as Markup } from '../../platform/http/html.js'
import type { EcosystemFacts } from '../ecosystem-facts.js'
import type { Words } from '../words.js'
import { verifierFiles } from './verifier-files.js'

/** Offers what proves the facts of the page to whoever does not trust it; or says why there is nothing. */
export function proofSection(facts: EcosystemFacts): Html {
  const { words, isProvable } = facts
  return html`<section aria-labelledby="proof">
<h2 id="proof">${words.say('proof')}</h2>
${isProvable ? offers(facts) : html`<p>${words.say('proofNone')}</p>`}
</section>`
}

const COMMAND = html`<code>npm run verify-proof</code>`

/** The form has no genesis hash: whoever took ours would check what we say against what we say. */
function offers(facts: EcosystemFacts): Html {
  const { registry, words, point, apiUrl } = facts
  const ofRegistry = `${apiUrl}/trust-registries/${registry.id}/proof?at=${point.block}`
  return html`<p>${words.say('proofLead')}</p>
<p><a href="${ofRegistry}" download="accredit-proof-${point.block}.json">${words.say('proofDownload')}</a></p>
<p class="soft">${words.say('proofCounts')}</p>
${rightForm(facts)}
<form id="check" hidden data-bundle="${ofRegistry}" data-registry="${registry.id}" data-hash="${point.hash}" data-words="${JSON.stringify(verdictWords(words))}">
<label>${words.say('proofGenesis')} <input name="genesis" required autocomplete="off" spellcheck="false" placeholder="0x…" pattern="\\s*0x[0-9a-fA-F]{64}\\s*" aria-describedby="own"></label>
<label>${words.say('proofKnown')} <input name="known" autocomplete="off" spellcheck="false" placeholder="1200:0x…" aria-describedby="own"></label>
<label>${words.say('proofFile')} <input name="bundle" type="file" accept=".json,application/json"></label>
<button>${words.say('proofCheck')}</button>
<p id="own" class="soft">${words.say('proofOwn', { command: COMMAND, library: html`<code>@accredit/chain/proof</code>` })} ${whereVerifierIs(facts)}</p>
<output class="plain"></output>
</form>
<script type="importmap">${new Markup(importMap())}</script>
<script type="module" src="../verifier/check.js"></script>`
}

/** Tells where the verifier is had from; what this service itself gave would be trusted as little as its answers. */
function whereVerifierIs({ words, sourceUrl }: EcosystemFacts): Html {
  const folder = html`<code>chain/client</code>`
  if (sourceUrl === undefined) return words.say('proofSourceElsewhere', { folder })
  const link = html`<a href="${sourceUrl}" rel="nofollow noopener noreferrer">${sourceUrl}</a>`
  return words.say('proofSource', { folder, link })
}

/** The words of the script that checks; it fills in what stands in capitals. */
const verdictWords = ({ plain }: Words) => ({
  proved: plain('proved'),
  notProved: plain('notProved'),
  unread: plain('proofUnread'),
  other: plain('proofOther'),
  question: plain('proofQuestion'),
  answer: plain('proofAnswer'),
  block: plain('proofBlock'),
  votes: plain('proofVotes', { block: 'BLOCK', votes: 'VOTES', total: 'TOTAL', needed: 'NEEDED' }),
  badKnown: plain('proofBadKnown'),
  known: plain('proofStandsOn', { block: 'BLOCK', hash: 'HASH' }),
  trusted: plain('proofTrusted', { first: 'FIRST', last: 'LAST' }),
  trustedAll: plain('proofTrustedAll', { first: 'FIRST', last: 'LAST' }),
  trustedNone: plain('proofTrustedNone'),
  status: plain('proofStatus', { status: 'STATUS' }),
  noAnswer: plain('proofNoAnswer'),
  noFile: plain('proofNoFile'),
})

/** A form that asks for the proof of a right of somebody, listed or not. */
function rightForm({ registry, schemas, words, point, apiUrl }: EcosystemFacts): Html | false {
  return (
    schemas.list.length > 0 &&
    html`<form method="get" action="${`${apiUrl}/trust-registries/${registry.id}/authorization/proof`}">
<input type="hidden" name="at" value="${point.block}">
<label>DID <input name="did" required pattern="did:.+" maxlength="512"></label>
<label>${words.say('proofSchema')} <select name="schema">${schemas.list.map(({ id, name }) => html`<option value="${id}">${name}</option>`)}</select></label>
<label>${words.say('proofRole')} <select name="role"><option value="issuer">${words.say('proofIssuer')}</option><option value="verifier">${words.say('proofVerifier')}</option></select></label>
<button>${words.say('proofOfRight')}</button>
</form>`
  )
}

/** The same text each time, since the page's policy allows it by its hash. */
export const importMap = (): string => JSON.stringify(verifierFiles().importMap)
