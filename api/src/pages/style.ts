import { createHash } from 'node:crypto'
import { Html } from '../platform/http/html.js'

const STYLE = `
:root{color-scheme:light dark;--ink:#1a2230;--soft:#55606f;--line:#d6dbe2;--ground:#fff;--raised:#f5f7f9;--mark:#123f6d;--link:#11529b;--stop:#9b1c1c;--stop-ground:#fdf0ef;--note-ground:#fdf6e3;--note-line:#c9a227;--fine:#1c6b3c}
@media(prefers-color-scheme:dark){:root{--ink:#e3e8ef;--soft:#a3aebc;--line:#343d4a;--ground:#12161c;--raised:#1a2028;--mark:#9cc4ee;--link:#8fbdf2;--stop:#ff9d96;--stop-ground:#2c1817;--note-ground:#2a2412;--note-line:#b8942c;--fine:#7fd1a0}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;overflow-wrap:anywhere}
h1,h2{font-family:Charter,"Bitstream Charter","Sitka Text",Cambria,Georgia,"Noto Serif",serif;line-height:1.2;text-wrap:balance}
h1{font-size:clamp(1.75rem,1.2rem + 2.4vw,2.75rem);margin:.2rem 0 .6rem;color:var(--mark)}
h2{font-size:1.5rem;margin:0 0 1rem}
h3{font-size:1rem;margin:1.6rem 0 .4rem}
a{color:var(--link)}
a:focus-visible,input:focus-visible,select:focus-visible,button:focus-visible,summary:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-100vw}
.skip:focus{left:1rem;top:.5rem;background:var(--ground);padding:.3rem .6rem}
.wide{max-width:64rem;margin:0 auto;padding:0 1.25rem}
.top{border-top:.4rem solid var(--mark);background:var(--raised);border-bottom:1px solid var(--line);padding:2rem 0}
.kind{margin:0;color:var(--soft);font-size:.85rem;letter-spacing:.08em;text-transform:uppercase}
.lead{max-width:44rem;font-size:1.1rem;margin:0 0 1rem}
.plain{white-space:pre-line}
dd time,td time,li time{white-space:nowrap}
.top h1,.top .lead{text-align:left}
.facts{display:flex;flex-wrap:wrap;gap:.75rem 1.5rem;margin:1.25rem 0 0}
.facts div:first-child{flex:2 1 16rem}
.facts div{flex:1 1 6rem;border-top:2px solid var(--line);padding-top:.4rem}
.counts{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;margin:1rem 0 0;padding:0;list-style:none;font-weight:600}
dt{color:var(--soft);font-size:.85rem}
dd{margin:0;font-weight:600}
.id,.facts small{display:block;font:.75rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;color:var(--soft);font-weight:400}
.note{border-inline-start:.3rem solid var(--note-line);background:var(--note-ground);padding:.75rem 1rem;margin:1.25rem auto 0}
.note p{margin:0}
section{padding:2.25rem 0;border-bottom:1px solid var(--line)}
form{display:flex;flex-wrap:wrap;gap:.6rem;align-items:end;margin:0 0 1.25rem}
form p{flex-basis:100%;margin:0}
form.date{margin:0 0 1.5rem}
label{font-size:.85rem;color:var(--soft);flex:1 1 16rem;max-width:26rem}
input,select{display:block;width:100%;font:inherit;color:inherit;background:var(--ground);border:1px solid var(--soft);border-radius:.25rem;padding:.5rem .6rem;min-height:2.75rem}
button{font:inherit;font-weight:600;min-height:2.75rem;padding:.5rem 1.1rem;border:1px solid var(--mark);border-radius:.25rem;background:var(--mark);color:var(--ground);cursor:pointer}
table{width:100%;border-collapse:collapse;font-variant-numeric:tabular-nums}
caption{text-align:start;color:var(--soft);padding:0 0 .6rem}
th,td{text-align:start;vertical-align:top;padding:.7rem 1rem .7rem 0;border-top:1px solid var(--line)}
thead th{font-size:.85rem;color:var(--soft);border-top:0;border-bottom:2px solid var(--line);padding-block:.3rem}
tbody th{font-weight:600;width:38%}
tbody td{width:31%}
td p{margin:0}
.is-barred th{color:var(--soft)}
.state{font-weight:600;color:var(--fine);white-space:nowrap}
.is-barred .state{font-size:.925rem;color:var(--stop);background:var(--stop-ground);border:1px solid;border-radius:.25rem;padding:.1rem .5rem;white-space:normal;display:inline-block}
.who{display:flex;gap:.75rem;align-items:flex-start}
.logo{flex:none;width:2.5rem;height:2.5rem;object-fit:contain}
.initials{display:flex;align-items:center;justify-content:center;border-radius:.25rem;color:#fff;font:600 .95rem/1 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
.tone-0{background:#123f6d}.tone-1{background:#1c6b3c}.tone-2{background:#7a3e12}.tone-3{background:#6b2a63}.tone-4{background:#0f5a66}.tone-5{background:#8c2332}.tone-6{background:#4a4f12}.tone-7{background:#41427f}
.top .logo{display:block;width:auto;max-width:12rem;height:4rem;margin:0 0 1rem}
.top .initials{display:flex;width:4rem;font-size:1.5rem}
.pages{display:flex;flex-wrap:wrap;gap:.5rem 1.25rem;margin:1rem 0 0;padding:0;list-style:none}
.governance{max-width:44rem;border-inline-start:.2rem solid var(--line);padding-inline-start:1.25rem}
.governance>:first-child{margin-top:0}
.request{overflow:auto}
.governance pre,.governance table{display:block;overflow:auto;max-width:100%}
.governance pre,.request{background:var(--raised);padding:.75rem}
.events{list-style:none;margin:0;padding:0}
.events li{display:grid;grid-template-columns:5.5rem 1fr;gap:.75rem;padding:.35rem 0;border-top:1px solid var(--line)}
.events time{color:var(--soft);font-variant-numeric:tabular-nums}
.events p{margin:0}
.reason{margin:.25rem 0 0;font-size:.925rem}
.schemas{padding:0;list-style:none;margin:0}
.schemas li{padding:.6rem 0;border-top:1px solid var(--line)}
.soft{color:var(--soft)}
footer{padding:2rem 0 3rem;font-size:.875rem;color:var(--soft)}
footer p{margin:.25rem 0}
@media(max-width:40rem){
.wide{padding:0 1rem}
.top{padding:1.25rem 0}
.participants thead{position:absolute;left:-100vw}
.participants tr,.participants th,.participants td,.participants tbody,.participants caption,.participants{display:block;width:100%}
.participants tr{border-top:1px solid var(--line);padding:.75rem 0}
.participants th,.participants td{border:0;padding:.15rem 0}
label{max-width:none;flex-basis:100%}
button{width:100%}
.events li{grid-template-columns:1fr;gap:0}
}
@media print{form,.pages,.skip{display:none}body{font-size:10pt}.top{background:none}section{padding:1rem 0}tr,li{break-inside:avoid}a{color:inherit}}
`

export const STYLE_ELEMENT = new Html(`<style>${STYLE}</style>`)

const sourceOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

const policy = (formAction: string, more: readonly string[] = []): string =>
  [
    "default-src 'none'",
    `style-src ${sourceOf(STYLE)}`,
    "img-src 'self' data:",
    `form-action ${formAction}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
    ...more,
  ].join('; ')

/** The policy allows nothing but the one style and this service's own pictures. */
export const CONTENT_SECURITY_POLICY = policy("'self'")

/** The policy of a page that checks proofs: its import map runs too, the verifier from here, and the API is asked. */
export function checkingPolicy(importMap: string, apiUrl: string): string {
  const here = `'self' ${new URL(apiUrl).origin}`
  return policy(here, [`script-src 'self' ${sourceOf(importMap)}`, `connect-src ${here}`])
}
