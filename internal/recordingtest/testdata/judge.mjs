// The judge in JavaScript: reads a line with the recordings as they were, then a line for
// each mutant, and answers with a string that says why it is not the recording, "" when
// it is. See doc.go.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { createInterface } from 'node:readline'
import { gunzipSync, inflateSync } from 'node:zlib'

const sessionHeader = 'x-deepseek-harness-session-id'
function judge(base, mutant) {
  if (mutant.kind === 'requests') return judgeRequests(base, mutant.path)
  return judgeBodies(base, mutant.kind === 'har' ? readHAR(mutant.path) : readFolder(mutant.path))
}

function lines(text) {
  return text.split('\n').filter((l) => !/^[ \t\r]*$/.test(l)).map((l) => {
    const o = JSON.parse(l)
    if (o === null || typeof o !== 'object' || Array.isArray(o)) throw new Error('a line is no object')
    return o
  })
}

function judgeRequests(base, path) {
  const got = lines(readFileSync(path, 'utf8')).filter((o) => o.sessionId === base.session)
    .map((o) => ({ key: `${o.turn}.${o.step}.${o.attempt}`, text: JSON.stringify(o.request) }))
  const want = [...base.requests]
  const places = [], left = []
  got.forEach((e, at) => {
    const j = want.findIndex((w) => w.key === e.key && w.text === e.text)
    if (j < 0) return left.push(at)
    places.push({ life: want[j].life, at })
    want.splice(j, 1)
  })
  const gone = want.find((w) => !base.prepared[w.key])
  if (gone) return `request ${gone.key} is gone`
  for (const at of left) {
    const life = base.requests.find((e) => e.key === got[at].key)?.life ?? 0
    if (life === 0 || places.some((p) => (p.life < life && p.at > at) || (p.life === life && p.at < at))) {
      return `entry ${at + 1}, request ${got[at].key}, is no recorded one`
    }
  }
  return ''
}

const withoutMark = (text) => text.replace(/^\ufeff/, '')

function readFolder(dir) {
  const list = [], listed = new Set()
  const index = join(dir, 'index.jsonl')
  const text = existsSync(index) ? readFileSync(index, 'utf8').split('\n').map(withoutMark).join('\n') : ''
  for (const o of lines(text)) {
    const headers = Object.entries(Object(o.headers))
    let bytes
    try {
      bytes = readFileSync(join(dir, o.file))
    } catch {}
    listed.add(normalize(String(o.file)))
    list.push({ ids: idsOf([['', o.sessionId], ...headers]), bytes: inflated(bytes, headers) })
  }
  for (const name of readdirSync(dir)) {
    if (name.endsWith('.json') && !listed.has(name)) list.push({ ids: [], bytes: readFileSync(join(dir, name)) })
  }
  return list
}

function idsOf(headers) {
  return headers.filter(([name, value]) => (name === '' || name.toLowerCase() === sessionHeader) && typeof value === 'string')
    .map(([, value]) => value.trim()).filter((id) => id !== '')
}

function inflated(bytes, headers) {
  if (!bytes || /^[ \t\r\n]*\{/.test(bytes.subarray(0, 100).toString('latin1'))) return bytes
  const named = headers.filter(([name]) => name.toLowerCase() === 'content-encoding').map(([, v]) => String(v).trim().toLowerCase()).pop()
  try {
    return named === 'gzip' ? gunzipSync(bytes) : named === 'deflate' ? inflateSync(bytes) : bytes
  } catch {
    return undefined
  }
}

function readHAR(path) {
  const list = []
  for (const e of JSON.parse(withoutMark(readFileSync(path, 'utf8'))).log.entries) {
    const request = Object(Object(e).request)
    const url = String(request.url).split('?')[0].split('#')[0].replace(/\/$/, '')
    if (typeof request.method !== 'string' || request.method.toUpperCase() !== 'POST' || !url.endsWith('/chat/completions')) continue
    const post = Object(request.postData)
    const headers = (Array.isArray(request.headers) ? request.headers : []).map((h) => [String(Object(h).name), Object(h).value])
    let bytes
    if (typeof post.text === 'string') {
      const coded = /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(post.text)
      bytes = coded || String(post.encoding).toLowerCase() === 'base64' ? Buffer.from(post.text, 'base64') : Buffer.from(post.text, 'utf8')
    }
    list.push({ ids: idsOf(headers), bytes: inflated(bytes, headers) })
  }
  return list
}

// A provider's file ids are nowhere but in a capture.
const withoutIDs = (text) => text.replace(/"file_id":"[!#-\[\]-~]{1,512}"/g, 'id')

const adapterNames = new Set(['model', 'messages', 'stream', 'stream_options', 'thinking', 'reasoning_effort', 'tools', 'temperature', 'max_tokens', 'stop'])

// Plugins append members behind a body's last; they are no part of a request.
function isExtended(text, want) {
  const base = want.replace(/\}$/, '')
  if (!text.startsWith(base + ',') || text.trim() !== text) return false
  try {
    const names = Object.keys(JSON.parse('{' + text.slice(base.length + 1)))
    return names.length > 0 && !names.some((name) => adapterNames.has(name))
  } catch {
    return false
  }
}

function is(want, text) {
  const [t, w] = [withoutIDs(text), withoutIDs(want.text)]
  if (t === w || isExtended(t, w)) return true
  const [head, tail] = [withoutIDs(want.head), want.tail.replace(/\}$/, '')]
  if (!tail || !t.startsWith(head)) return false
  for (let at = t.indexOf(tail, head.length); at >= 0; at = t.indexOf(tail, at + 1)) {
    const rest = t.slice(at + tail.length)
    if (rest !== '}' && !isExtended(rest, '}')) continue
    try {
      if (typeof JSON.parse(`"${t.slice(head.length, at)}"`) === 'string') return true
    } catch {}
  }
  return false
}

function near(want, text) {
  const [a, b] = [want.text, text]
  const most = Math.min(a.length, b.length)
  let n = 0, m = 0
  while (n < most && a[n] === b[n]) n++
  while (m < most - n && a[a.length - 1 - m] === b[b.length - 1 - m]) m++
  return (n + m) * 10 >= Math.max(a.length, b.length) * 9
}

function judgeBodies(base, list) {
  // Bytes that are not UTF-8 are not those of any recorded body.
  const texts = list.map((p) => p.bytes && (p.bytes.equals(Buffer.from(p.bytes.toString('utf8'), 'utf8')) ? p.bytes.toString('utf8') : undefined))
  for (const want of base.bodies) {
    if (!want.oneshot && !base.prepared[want.key] && !texts.some((text) => text !== undefined && is(want, text))) return `a body of ${want.text.length} characters is gone`
  }
  for (const [i, p] of list.entries()) {
    if (texts[i] !== undefined && base.bodies.some((want) => is(want, texts[i]))) continue
    if (p.ids.includes(base.session)) return `body ${i + 1} is none that was posted`
    if (p.ids.length === 0 && texts[i] !== undefined && base.bodies.some((want) => !want.untold && near(want, texts[i]))) return `body ${i + 1}, of no session, is nearly one that was posted`
  }
  return ''
}

let bases

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const value = JSON.parse(line)
  if (!bases) {
    bases = new Map(value.map((b) => [b.name, b]))
    continue
  }
  let why
  try {
    why = judge(bases.get(value.base), value)
  } catch (e) {
    why = String(e.message || e)
  }
  process.stdout.write(JSON.stringify(why) + '\n')
}
