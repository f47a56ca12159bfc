import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync, statfsSync, statSync } from 'node:fs'
import { connect } from 'node:tls'
import { codeOf } from '../start/refusal.js'
import { type Finding, fault, isNoWayOut, notChecked, ok, warning } from './finding.js'
import type { Place } from './place.js'

const OLDEST_NODE = 20

export function checkNode(version = process.versions.node): Finding {
  if (Number(version.split('.')[0]) >= OLDEST_NODE) return ok('node', `Node ${version}.`)
  return fault('node', `This is Node ${version}.`, `Install Node ${OLDEST_NODE} or later.`)
}

const MB = 1024 * 1024
const FULL_BELOW = 200 * MB
const LOW_BELOW = 2048 * MB

/** PostgreSQL stops with a full disk, and a copy of it needs as much again. */
export function checkDisks({ folders }: Pick<Place, 'folders'>, spaceOf = freeSpace): Finding[] {
  return Object.entries(folders).map(([what, folder]) => {
    const free = spaceOf(folder)
    if (free === undefined) return notChecked('disk', `The folder of ${what} (${folder}) is not there yet.`)
    const says = `The disk of ${what} (${folder}) has ${Math.round(free / MB)} MB left.`
    const remedy = 'Make room, or move it to a larger disk: PostgreSQL ends when the disk is full.'
    if (free < FULL_BELOW) return fault('disk', says, remedy)
    return free < LOW_BELOW ? warning('disk', says, remedy) : ok('disk', says)
  })
}

function freeSpace(folder: string): number | undefined {
  if (!existsSync(folder)) return undefined
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** Keys that others can read are keys of others; keys that are lost open nothing any more. */
export function checkKeyFiles({ keyFiles }: Pick<Place, 'keyFiles'>): Finding[] {
  return Object.entries(keyFiles).map(([name, file]) => {
    if (!existsSync(file))
      return fault(
        'keys',
        `${file} is missing.`,
        `Bring ${name} back from a copy of the keys (npm run restore, or restore-master-key).`,
      )
    const mode = statSync(file).mode & 0o777
    if ((mode & 0o077) !== 0)
      return fault(
        'keys',
        `${file} has mode ${mode.toString(8)}: others can read it.`,
        `chmod 600 ${file}, and rotate the key if others were there.`,
      )
    return ok('keys', `${name} is there and its owner's alone.`)
  })
}

const DAY_MS = 86_400_000
const RENEW_BEFORE_DAYS = 14

export function checkCertificateFile(file: string, now = Date.now()): Finding {
  try {
    return ofCertificate(file, new X509Certificate(readFileSync(file)).validTo, now)
  } catch (error) {
    return fault(
      'certificate',
      `${file} cannot be read as a certificate: ${codeOf(error)}.`,
      'Put a certificate in PEM there.',
    )
  }
}

function ofCertificate(what: string, validTo: string, now: number): Finding {
  const days = Math.floor((Date.parse(validTo) - now) / DAY_MS)
  const says = `The certificate of ${what} is valid until ${validTo}.`
  if (days < 0) return fault('certificate', says, 'Renew it: clients refuse it.')
  return days < RENEW_BEFORE_DAYS
    ? warning('certificate', says, 'Renew it, and see why that did not happen by itself.')
    : ok('certificate', says)
}

const PATIENCE_MS = 5_000

/** Connects as a client does, who trusts the authorities of this machine. */
export function checkPublicCertificate(publicUrl: string, now = Date.now()): Promise<Finding> {
  const { hostname, port, protocol } = new URL(publicUrl)
  if (protocol !== 'https:')
    return Promise.resolve(notChecked('certificate', `${publicUrl} is plain HTTP, which only this machine may use.`))
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port || 443), servername: hostname, timeout: PATIENCE_MS })
    const end = (finding: Finding): void => {
      socket.destroy()
      resolve(finding)
    }
    socket.once('secureConnect', () => end(ofCertificate(publicUrl, socket.getPeerCertificate().valid_to, now)))
    socket.once('timeout', () => end(certificateUnreached(publicUrl, 'no answer')))
    socket.once('error', (error) => end(certificateUnreached(publicUrl, codeOf(error))))
  })
}

/** The errors of a connection that was never made; all others are about the certificate. */
const UNCONNECTED = ['no answer', 'ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'ETIMEDOUT']

export function certificateUnreached(publicUrl: string, why: string): Finding {
  if (isNoWayOut(why))
    return notChecked(
      'certificate',
      `${publicUrl} is out of reach from here (${why}): ask for its certificate on a machine outside (curl -I ${publicUrl}).`,
    )
  if (UNCONNECTED.includes(why))
    return fault(
      'certificate',
      `${publicUrl} does not answer here: ${why}.`,
      `See the proxy that ends TLS, and the DNS name in PUBLIC_URL. Where clients outside do get an answer (curl -I ${publicUrl}), this machine alone cannot reach it.`,
    )
  return fault(
    'certificate',
    `Clients cannot trust ${publicUrl}: ${why}.`,
    'See the certificate of the proxy that ends TLS, and whether it is for the DNS name in PUBLIC_URL.',
  )
}
