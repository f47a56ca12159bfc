import { readConfig } from '../../config.js'
import { commonLoop } from '../../dids/loop.testing.js'
import { allServed } from '../../platform/testing/all-served.js'
import { PATIENT } from '../../platform/testing/scratch-database.js'
import { TestService } from '../loop.testing.js'

/** A service that sends its mails through a server of the test. */
export async function mailingService(mail: { SMTP_URL: string; MAIL_FROM: string }): Promise<TestService> {
  const { scratch } = await commonLoop()
  const urls = { DATABASE_URL: scratch.tenantUrl, SYSTEM_DATABASE_URL: scratch.systemUrl }
  return TestService.open(allServed, { config: readConfig({ ...urls, ...mail, ...PATIENT }) })
}
