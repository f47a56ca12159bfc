import { readFileSync } from 'node:fs'

const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')

/** Returns the text of README from one of its bold words to the next, or to the next heading. */
export function sectionOf(title: string): string {
  const [, after] = README.split(`**${title}**`)
  if (after === undefined) throw new Error(`README has no section ${title}`)
  return after.split(/\n(?:\*\*[A-Z]|## )/)[0] ?? ''
}

function blockIn(title: string, fence: string): string {
  const [, block] = sectionOf(title).split(`\n${fence}\n`)
  const lines = block?.split('\n```')[0]
  if (lines === undefined) throw new Error(`README has no such block in ${title}`)
  return lines
}

/** Returns the commands of a section that stand below a comment: `# Locally: …`. */
export function commandsOf(title: string, comment: string): string {
  const [, after] = `\n${blockIn(title, '```sh')}`.split(new RegExp(`\\n# ${comment}.*`))
  const commands = after?.split('\n#')[0]?.trim()
  if (!commands) throw new Error(`README has no commands "${comment}" in ${title}`)
  return commands
}

/** Returns the configuration that a section shows. */
export const configurationOf = (title: string): string => blockIn(title, '```')

/** Returns the command that a section shows between its words, by how it begins. */
export function commandAmongWords(title: string, beginning: string): string {
  const command = sectionOf(title)
    .split('`')
    .find((text) => text.startsWith(beginning))
  if (command === undefined) throw new Error(`README has no command "${beginning}" in ${title}`)
  return command
}

/**
 * Returns what a line `docker compose run … SERVICE node PROGRAM …` runs, with the places of this machine for those of
 * the container.
 */
export function programIn(line: string, places: Readonly<Record<string, string>>): string[] {
  const [, program] = line.split(/ (?:prepare|worker) node /)
  if (program === undefined) throw new Error(`"${line}" runs no program of ours`)
  const moved = Object.entries(places).reduce((text, [from, to]) => text.replaceAll(from, to), program)
  return moved.trim().split(/\s+/)
}
