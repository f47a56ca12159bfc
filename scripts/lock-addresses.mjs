// npm run lock-addresses mends what package-lock.json says about where the archives of packages are, after a package was
// added: npm names the registry of whoever added it. npm's registry and its mirrors keep an archive under the same path;
// the host is a name that stands for none (RFC 2606), in whose place npm asks the registry that is configured (`.npmrc`).
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { asksForHelp, projectRoot } from './prepare.mjs'

const IN_MODULES = 'node_modules/'

/** Returns the text of a lock in which every package of a registry has its address, without the name of any. */
export function withAddresses(text) {
  const lock = JSON.parse(text)
  for (const [path, { name: alias, version, resolved, ...rest }] of Object.entries(lock.packages)) {
    if (!rest.integrity || (resolved && !resolved.includes('/-/'))) continue
    const name = alias ?? path.slice(path.lastIndexOf(IN_MODULES) + IN_MODULES.length)
    const address = `https://registry.invalid/${name}/-/${name.split('/').at(-1)}-${version}.tgz`
    // The order in which npm writes it.
    lock.packages[path] = { ...(alias && { name: alias }), version, resolved: address, ...rest }
  }
  return `${JSON.stringify(lock, null, 2)}\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (asksForHelp()) {
    console.log(`npm run lock-addresses
  Mends where package-lock.json says that archives of packages are, after npm added or updated one.`)
  } else {
    const path = join(projectRoot, 'package-lock.json')
    writeFileSync(path, withAddresses(readFileSync(path, 'utf8')))
  }
}
