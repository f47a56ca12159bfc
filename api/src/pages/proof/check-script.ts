/**
 * The script of the page: it checks a bundle where its reader is. It shows its form, which would do nothing without it.
 * Its sentences about a bundle are the verifier's own, in English.
 */
export const CHECK_SCRIPT = `import { verifyProof } from '@accredit/chain/proof'

const form = document.getElementById('check')
const told = form.querySelector('output')
form.hidden = false

async function bundle() {
  const [file] = form.elements.bundle.files
  if (file) return new Uint8Array(await file.arrayBuffer())
  const response = await fetch(form.dataset.bundle)
  const text = await response.text()
  if (!response.ok) throw new Error(JSON.parse(text).message)
  return text
}

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  told.textContent = ''
  try {
    const { questionText, answerText, answer, block, finalBlock } = verifyProof(await bundle(), form.elements.genesis.value.trim())
    told.textContent = [
      form.dataset.proved,
      questionText,
      answerText,
      JSON.stringify(answer),
      block.number + ' ' + block.hash + ', ' + block.time,
      finalBlock.number + ': ' + finalBlock.weight + ' / ' + finalBlock.totalWeight + ' (' + finalBlock.threshold + ')',
    ].join('\\n')
  } catch (error) {
    told.textContent = form.dataset.refused + '\\n' + error.message
  }
})
`
