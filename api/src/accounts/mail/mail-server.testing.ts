import { once } from 'node:events'
import { SMTPServer } from 'smtp-server'
import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js'

// The library greets 100 ms late, to notice clients that talk too early, and every mail of ours has a connection of its
// own. Tests in which people sign in would mostly wait for that.
SMTPConnection.prototype.init = function (this: SMTPConnection) {
  this._setListeners(() => this.connectionReady())
}

interface ReceivedMail {
  to: string[]
  text: string
  /** The name that a bounce is to quote (RFC 3461). */
  envid: unknown
}

/** A mail server on loopback that keeps what it receives. */
export async function mailServer() {
  const mails: ReceivedMail[] = []
  const state = { refuses: false, thinksUntil: Promise.resolve() }
  const server = new SMTPServer({
    authOptional: true,
    hideDSN: false,
    disabledCommands: ['STARTTLS'],
    logger: false,
    disableReverseLookup: true,
    onRcptTo: (_address, _session, done) =>
      void state.thinksUntil.then(() =>
        done(state.refuses ? Object.assign(new Error('try later'), { responseCode: 451 }) : null),
      ),
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const text = Buffer.concat(chunks).toString().replaceAll('=\r\n', '').replaceAll('=3D', '=')
        const { rcptTo, dsn } = session.envelope
        mails.push({ to: rcptTo.map(({ address }) => address), text, envid: dsn?.envid })
        done()
      })
    },
  })
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const address = listening.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    mails,
    state,
    url: `smtp://127.0.0.1:${port}`,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
