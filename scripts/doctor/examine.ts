import { checkDatabase } from './database.js'
import type { Finding } from './finding.js'
import { checkJournal } from './journal.js'
import { checkCertificateFile, checkDisks, checkKeyFiles, checkNode, checkPublicCertificate } from './machine.js'
import { checkApi, checkMail, checkRedis, notSet } from './neighbours.js'
import type { Place } from './place.js'

/** Looks at every part of an installation. No check leaves anything changed. */
export async function examine(place: Place): Promise<Finding[]> {
  const { redisUrl, smtpUrl, apiUrl, publicUrl, certificates, journal } = place
  const findings = await Promise.all([
    checkNode(),
    checkDisks(place),
    checkKeyFiles(place),
    checkDatabase(place),
    journal === undefined ? notSet('journal', 'ERASURE_JOURNAL_FILE') : checkJournal(place.projectRoot, journal),
    apiUrl === undefined ? notSet('api', "The API's address") : checkApi(apiUrl),
    redisUrl === undefined ? notSet('redis', 'REDIS_URL') : checkRedis(redisUrl),
    smtpUrl === undefined ? notSet('mail', 'SMTP_URL') : checkMail(smtpUrl),
    publicUrl === undefined ? notSet('certificate', 'PUBLIC_URL') : checkPublicCertificate(publicUrl),
    certificates.map((file) => checkCertificateFile(file)),
  ])
  return findings.flat()
}
