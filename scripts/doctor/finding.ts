/** The outcome of one check: a sentence that states what is there, and for a fault the remedy. */
export interface Finding {
  check: string
  state: 'ok' | 'warning' | 'fault' | 'not checked'
  says: string
  remedy?: string
}

export const ok = (check: string, says: string): Finding => ({ check, state: 'ok', says })
export const notChecked = (check: string, says: string): Finding => ({ check, state: 'not checked', says })
export const warning = (check: string, says: string, remedy: string): Finding => ({
  check,
  state: 'warning',
  says,
  remedy,
})
export const fault = (check: string, says: string, remedy: string): Finding => ({ check, state: 'fault', says, remedy })

/** True of an error that tells of the network around the doctor, and nothing of whom it asked. */
export const isNoWayOut = (code: string): boolean => ['ENETUNREACH', 'EHOSTUNREACH', 'EAI_AGAIN'].includes(code)

/** Tells the findings to a person, the bad ones with their remedies. */
function tellFindings(findings: readonly Finding[]): string {
  const lines = findings.flatMap(({ check, state, says, remedy }) => [
    `${state.padEnd(11)}  ${check.padEnd(13)}  ${says}`,
    ...(remedy === undefined ? [] : [`${' '.repeat(28)}${remedy}`]),
  ])
  const count = (state: Finding['state']): number => findings.filter((finding) => finding.state === state).length
  return `${lines.join('\n')}\n${count('fault')} faults, ${count('warning')} warnings, ${count('ok')} checks passed`
}

/** Prints the findings, and returns the exit code. */
export function tell(findings: readonly Finding[], asJson: boolean): number {
  console.log(asJson ? JSON.stringify({ findings }, null, 2) : tellFindings(findings))
  return findings.some(({ state }) => state === 'fault') ? 1 : 0
}
