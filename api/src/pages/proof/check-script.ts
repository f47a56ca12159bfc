/**
 * The script of the page: it checks a bundle where its reader is. It shows its form, which would do nothing without it.
 * Its sentences about a bundle are the verifier's own, in English.
 */
export const CHECK_SCRIPT = `import { shownJson, verifyProof } from '@accredit/chain/proof'

const form = document.getElementById('check')
const told = form.querySelector('output')
const words = JSON.parse(form.dataset.words)
// A text that begins as no bundle does: nothing of it was checked.
const NO_BUNDLE = ['too_large', 'not_json', 'unknown_format']
let newest = 0
form.hidden = false

class Unread extends Error {}
class Unwritten extends Error {}

// As --known of the command.
function knownBlocks(text) {
  if (text === '') return []
  const [, number, hash] = /^(\\d{1,10}):(0x[0-9a-fA-F]{64})$/.exec(text) ?? []
  if (hash === undefined) throw new Unwritten(words.badKnown)
  return [{ number: Number(number), hash: hash.toLowerCase() }]
}

async function chosen(file) {
  try {
    return new Uint8Array(await file.arrayBuffer())
  } catch {
    throw new Unread(words.noFile)
  }
}

async function fetched() {
  const response = await fetch(form.dataset.bundle).catch(() => undefined)
  const text = await response?.text().catch(() => undefined)
  if (text === undefined) throw new Unread(words.noAnswer)
  const status = words.status.replace('STATUS', response.status)
  if (!response.ok) throw new Unread([status, messageIn(text)].join('\\n').trim())
  return { text, status }
}

function messageIn(text) {
  try {
    return JSON.parse(text).message
  } catch {
    return undefined
  }
}

function verdict({ question, questionText, answerText, answer, block, finalBlock, trustedSets }, known) {
  const { registry, hash: shown } = form.dataset
  const isShown = question.kind === 'registry' && question.registryId === registry && block.hash === shown
  return [
    words.proved,
    ...(isShown ? [] : [words.other]),
    words.question + ': ' + questionText,
    words.answer + ': ' + answerText,
    shownJson(answer),
    words.block + ': ' + block.number + ' ' + block.hash + ', ' + block.time,
    votesFor(finalBlock),
    ...known.map((one) => filled(words.known, { BLOCK: one.number, HASH: one.hash })),
    trust(trustedSets),
  ].join('\\n')
}

function votesFor({ number, weight, totalWeight, threshold }) {
  return filled(words.votes, { BLOCK: number, VOTES: weight, TOTAL: totalWeight, NEEDED: threshold })
}

// Sets from the first one on are shown by the hash of the first block, and others by a block that the reader knows.
function trust(sets) {
  if (sets === undefined) return words.trustedNone
  return filled(sets.first === 0 ? words.trustedAll : words.trusted, { FIRST: sets.first, LAST: sets.last })
}

const filled = (text, values) => text.replace(/[A-Z]{4,}/g, (name) => values[name] ?? name)

async function check() {
  const genesis = form.elements.genesis.value.trim()
  const [file] = form.elements.bundle.files
  let status
  try {
    const known = knownBlocks(form.elements.known.value.trim())
    const given = file ? { text: await chosen(file) } : await fetched()
    status = given.status
    return verdict(verifyProof(given.text, genesis, { known }), known)
  } catch (error) {
    if (error instanceof Unwritten) return error.message
    const isUnread = error instanceof Unread || NO_BUNDLE.includes(error.reason)
    return [isUnread ? words.unread : words.notProved, ...(isUnread && status ? [status] : []), error.message].join('\\n')
  }
}

// A verdict is about what stands in the fields.
form.addEventListener('input', () => {
  newest += 1
  told.textContent = ''
})

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  newest += 1
  const own = newest
  told.textContent = ''
  const text = await check()
  if (own === newest) told.textContent = text
})
`
