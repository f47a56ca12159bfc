/**
 * The script of the page: it checks a bundle where its reader is. It shows its form, which would do nothing without it.
 * Its sentences about a bundle are the verifier's own, in English.
 */
export const CHECK_SCRIPT = `import { verifyProof } from '@accredit/chain/proof'

const form = document.getElementById('check')
const told = form.querySelector('output')
const words = JSON.parse(form.dataset.words)
// A text that begins as no bundle does: nothing of it was checked.
const NO_BUNDLE = ['too_large', 'not_json', 'unknown_format']
let newest = 0
form.hidden = false

class Unread extends Error {}

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

function verdict({ question, questionText, answerText, answer, block, finalBlock }) {
  const { registry, block: shown } = form.dataset
  const isShown = question.kind === 'registry' && question.registryId === registry && String(block.number) === shown
  return [
    words.proved,
    ...(isShown ? [] : [words.other]),
    words.question + ': ' + questionText,
    words.answer + ': ' + answerText,
    JSON.stringify(answer),
    words.block + ': ' + block.number + ' ' + block.hash + ', ' + block.time,
    votesFor(finalBlock),
  ].join('\\n')
}

function votesFor({ number, weight, totalWeight, threshold }) {
  const told = { BLOCK: number, VOTES: weight, TOTAL: totalWeight, NEEDED: threshold }
  return words.votes.replace(/BLOCK|VOTES|TOTAL|NEEDED/g, (name) => told[name])
}

async function check() {
  const genesis = form.elements.genesis.value.trim()
  const [file] = form.elements.bundle.files
  let status
  try {
    const given = file ? { text: await chosen(file) } : await fetched()
    status = given.status
    return verdict(verifyProof(given.text, genesis))
  } catch (error) {
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
