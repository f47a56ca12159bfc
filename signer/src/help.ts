const commands: Record<string, string> = {
  run: `main.js [run]
  Follows the ledger, keeps the keys and signs, until it is told to stop. One at a time holds a database; another
  one waits, and takes over when the first ends or gives no sign of life for SIGNER_HOLD_MS.
  Needs DATABASE_URL, MASTER_KEY_FILE, LEDGER_URL, and SIGNER_SOCKET or SIGNER_PORT with SIGNER_TOKEN.
`,
  init: `main.js init
  Makes the tables, the master key file and the fee account, each only when missing, and prints the account's address.
  Needs DATABASE_URL and MASTER_KEY_FILE.
`,
  tables: `main.js tables MIGRATION
  Makes the tables as they were after that migration, and nothing in them: npm run restore does it, and brings the rows.
  Needs DATABASE_URL and MASTER_KEY_FILE.
`,
  'rotate-master-key': `main.js rotate-master-key [--to-file]
  Makes a new master key, wraps every data key with it and forgets the old one. The signer has to be stopped. Keys stay
  what they are. Stopped in between it can be run again. Afterwards copies of the old file open nothing that is written
  from now on: keep a copy of the new one, apart from the copies of the database. With MASTER_KEY_MODULE, MASTER_KEY_TOKEN
  and MASTER_KEY_PIN_FILE the new key is made in that PKCS#11 token and never leaves it; the file names it. --to-file
  leads back out of the token. A key that was in a token stays there, since older copies of the database need it.
  Needs DATABASE_URL and MASTER_KEY_FILE.
`,
  'restore-master-key': `main.js restore-master-key FILE
  On another machine, or when the master key file is lost: looks whether FILE, a copy of it, opens this database and puts
  it at MASTER_KEY_FILE with mode 0600. FILE has to have mode 0600 too; a file that is there is not overwritten. To move
  a signer: restore the database, run this, start the signer. What the ledger has and the copy of the database has not
  is recognised by its effect.
  Needs DATABASE_URL and MASTER_KEY_FILE.
`,
}

/** Returns the usage of a command, or of all commands. */
export function helpFor(name: string): string {
  return commands[name] ?? Object.values(commands).join('\n')
}
