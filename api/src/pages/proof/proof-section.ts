import { type Html, html, Html as Markup } from '../../platform/http/html.js'
import type { EcosystemFacts } from '../ecosystem-facts.js'
import { verifierFiles } from './verifier-files.js'

/** Offers what proves the facts of the page to whoever does not trust it; or says why there is nothing. */
export function proofSection(facts: EcosystemFacts): Html {
  const { words, provable } = facts
  return html`<section aria-labelledby="proof">
<h2 id="proof">${words.say('proof')}</h2>
${provable === undefined ? html`<p>${words.say('proofNone')}</p>` : offers(facts, provable)}
</section>`
}

function offers(facts: EcosystemFacts, { genesisHash }: { genesisHash: string }): Html {
  const { registry, words, point, apiUrl } = facts
  const ofRegistry = `${apiUrl}/trust-registries/${registry.id}/proof?at=${point.block}`
  return html`<p>${words.say('proofLead')}</p>
<p><a href="${ofRegistry}" download="accredit-proof-${point.block}.json">${words.say('proofDownload')}</a></p>
${rightForm(facts)}
<form id="check" hidden data-bundle="${ofRegistry}" data-proved="${words.plain('proved')}" data-refused="${words.plain('notProved')}">
<label>${words.say('proofGenesis')} <input name="genesis" required pattern="\\s*0x[0-9a-fA-F]{64}\\s*" value="${genesisHash}"></label>
<label>${words.say('proofFile')} <input name="bundle" type="file" accept=".json,application/json"></label>
<button>${words.say('proofCheck')}</button>
<output class="plain"></output>
</form>
<script type="importmap">${new Markup(importMap())}</script>
<script type="module" src="../verifier/check.js"></script>`
}

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
