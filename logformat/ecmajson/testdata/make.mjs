// Writes cases.json: what a JavaScript engine makes of a list of byte strings.
//
//   node testdata/make.mjs > testdata/cases.json
//
// Each case is [input, output]: the input as base64, because it need not be UTF-8,
// and what JSON.stringify(JSON.parse(decoded)) prints, or null where parse throws.
// Numbers are generated from a fixed seed, so that the file is the same each time.
const inputs = []
const bytes = (...parts) => Buffer.concat(parts.map((p) => (typeof p === 'string' ? Buffer.from(p, 'utf8') : Buffer.from(p))))
const add = (...parts) => inputs.push(bytes(...parts))

// Structure and white space.
for (const s of ['', ' ', '{}', '[]', '[ ]', '{ }', ' {} ', '\t[1 ,2]\r\n', '{"a":1}', '{"a" : 1 , "b":[ ] }', '[1,]', '{"a":1,}', '[,]', '{,}',
  '{"a"}', '{"a":}', '{a:1}', "{'a':1}", '[1 2]', '1 2', '{}{}', '[', '{', ']', '}', '[}', '{]', '"', '"a', 'nul', 'null', 'nulll', 'true', 'tru', 'false', 'fals', 'NaN',
  'Infinity', '-Infinity', 'undefined', '\ufeff1', '1\ufeff', '\u00a01', '\u000b1', '\f1', '/**/1', '[[],{},"",0,null,true,false]', '{"a":{"b":{"c":[[[]]]}}}', '\u00001', '"a"b',
  '[1,2', '{"a":1', '{"a":1,"b"', '{"":""}', '{"":1,"":2}', 'null ', ' null', '\n', '[1\n]', '{"a":\n1}', '-', '+1', '.5', '5.', '01', '-01', '00', '1e', '1e+', '1E5', '1.e5', '0x10', '1_000',
  '-0', '-0.0', '0.0', '-0e5', '0e400', '1.0', '1e0', '10e-1', '100', '1e2', '1E+2', '1e400', '-1e400', '1e-400', '-1e-400', '1e21', '1e20', '123456789012345678901234567890', '0.000001', '0.0000001',
  '9007199254740991', '9007199254740992', '9007199254740993', '-9007199254740993', '999999999999999', '9999999999999999', '5e-324', '2.2250738585072014e-308', '1.7976931348623157e308', '1.7976931348623159e308',
  '0.1', '0.30000000000000004', '1e-6', '1e-7', '1.5e-7', '1.5e+21', '1.5e300', '4.35', '0.5', '123.456', '1e1000000000', '0.' + '0'.repeat(400) + '1', '1' + '0'.repeat(400)]) add(s)

// Escapes and control characters.
for (let i = 0; i < 0x30; i++) {
  const hex = i.toString(16).padStart(4, '0')
  add(`"\\u${hex}"`)
  add(`"\\u${hex.toUpperCase()}"`)
  add('"', [i], '"')
}
for (const c of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"\\/\'`-+') add(`"x\\${c}y"`)
for (const s of ['"\\u"', '"\\u1"', '"\\u12"', '"\\u123"', '"\\u123g"', '"\\U0041"', '"\\u0041"', '"\\u007f"', '"\u007f"', '"\\u2028\u2028\u2029"', '"\\u00e9é"', '"\\ud83d\\ude00"', '"😀"', '"\\ud83d"', '"\\ude00"',
  '"\\uD83D"', '"\\uDE00"', '"\\uD83D\\uDE00"', '"\\ude00\\ud83d"', '"\\ud83d\\ud83d"', '"\\ud83d\\ud83d\\ude00"', '"\\ud83dx"', '"\\ud83d\\n"', '"\\ud83d\\u0041"', '"\\ud83d\\udE00"', '"\\ud83d\\"', '"\\ud800\\udc00"', '"\\udbff\\udfff"',
  '"\\ud83d\\ude"', '"a\\u0000b"', '"\\/"', '"<>&\'"', '"\\u00ff\\u0100"', '"\\b\\f\\n\\r\\t"', '"\\uffff\\ufffe"', '"\\ufeff"']) add(s)

// Keys: array indexes first, repeated keys, odd names.
for (const s of ['{"b":1,"a":2}', '{"2":1,"1":2}', '{"1":1,"2":2}', '{"a":1,"1":2}', '{"1":1,"a":2,"0":3}', '{"00":1,"0":2}', '{"01":1,"1":2}', '{"4294967294":1,"a":2}', '{"a":1,"4294967294":2}', '{"a":1,"4294967295":2}', '{"a":1,"4294967296":2}',
  '{"a":1,"99999999999":2}', '{"a":1,"-1":2}', '{"a":1,"-0":2}', '{"a":1,"1.0":2}', '{"a":1,"1e1":2}', '{"a":1," 1":2}', '{"a":1,"":2}', '{"10":1,"9":2,"x":3,"1":4}', '{"a":1,"a":2}', '{"a":1,"b":2,"a":3}', '{"a":1,"\\u0061":2}',
  '{"\\u0061":1,"b":2,"a":3}', '{"x":1,"\\u0031":2}', '{"\\u0031":1,"1":2}', '{"__proto__":1}', '{"__proto__":{"a":1},"b":2}', '{"a":1,"__proto__":2,"__proto__":3}', '{"constructor":1,"toString":2,"hasOwnProperty":3}', '{"a":{"1":1,"0":2},"b":[{"b":1,"b":2}]}',
  '{"\\ud800":1,"\\ud800":2}', '{"\\uD800":1,"\\ud800":2}', '{"1":{"z":1,"z":2},"0":{"5":1,"4":1}}', '{"length":1,"0":2}']) add(s)
add('{' + Array.from({ length: 100 }, (_, i) => `"k${i}":${i}`).join(',') + '}')
add('{' + Array.from({ length: 100 }, (_, i) => `"k${i % 50}":${i}`).join(',') + '}')
add('{' + Array.from({ length: 60 }, (_, i) => `"${59 - i}":${i}`).join(',') + '}')

// Bytes that are not UTF-8, alone and in the middle, and cut sequences.
const odd = [[0x80], [0xbf], [0xc0], [0xc0, 0x80], [0xc1, 0xbf], [0xc2], [0xc2, 0x41], [0xdf], [0xe0], [0xe0, 0x80], [0xe0, 0x80, 0x80], [0xe0, 0x9f, 0xbf], [0xe0, 0xa0], [0xe0, 0xa0, 0x80], [0xe1, 0x80], [0xe1, 0x80, 0x41], [0xed, 0x9f, 0xbf],
  [0xed, 0xa0, 0x80], [0xed, 0xa0], [0xed, 0xbf, 0xbf], [0xed, 0xa0, 0x80, 0xed, 0xb0, 0x80], [0xee, 0x80, 0x80], [0xef, 0xbf, 0xbd], [0xef, 0xbf], [0xef, 0xbb, 0xbf], [0xf0], [0xf0, 0x80, 0x80, 0x80], [0xf0, 0x8f, 0xbf, 0xbf], [0xf0, 0x90], [0xf0, 0x90, 0x80], [0xf0, 0x90, 0x80, 0x80],
  [0xf0, 0x90, 0x80, 0x41], [0xf1, 0x80, 0x80], [0xf4, 0x8f, 0xbf, 0xbf], [0xf4, 0x90, 0x80, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xf8, 0x88, 0x80, 0x80, 0x80], [0xfc], [0xfe], [0xff], [0xff, 0xfe], [0xc2, 0xc2, 0x80], [0xe2, 0x82, 0xe2, 0x82, 0xac], [0xf0, 0x9f, 0x98, 0xf0, 0x9f, 0x98, 0x80]]
for (const seq of odd) {
  add('"', seq, '"')
  add('"before ', seq, ' and behind"')
  add('{"', seq, '":1}')
  add('["', seq, '\\n", ', '1]')
  add(seq)
  add('"12345', seq, '"')
  add('"\\ud800', seq, '"')
}
add('{"', [0xff], '":1,"', [0xfe], '":2}') // two keys that decode to one

// Strings whose special byte falls on each place of an eight-byte word.
for (let i = 0; i < 20; i++) {
  const pad = 'x'.repeat(i)
  add(`"${pad}\\n${pad}"`)
  add(`"${pad}é${pad}"`)
  add(`"${pad}漢字${pad}"`)
  add(`"${pad}"`)
  add(`"${pad}`)
  add(`"${pad}\u0001"`)
}

// Numbers.
let seed = 20240501n
const random = () => {
  seed = (seed * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn
  return seed >> 11n
}
const view = new DataView(new ArrayBuffer(8))
for (let i = 0; i < 1200; i++) {
  view.setBigUint64(0, (random() << 11n) ^ random())
  const f = view.getFloat64(0)
  if (Number.isFinite(f)) add(i % 3 === 0 ? f.toExponential(16) : i % 3 === 1 ? String(f) : f.toPrecision(17))
}
for (let e = -330; e <= 312; e += 3) {
  add(`1e${e}`)
  add(`${(Number(random() % 100000n) / 1000)}e${e}`)
}
for (let i = 0; i < 300; i++) {
  const digits = String(random()).slice(0, 1 + Number(random() % 18n))
  add(digits)
  add(`-${digits}`)
  add(`${digits.slice(0, 1)}.${digits}`)
}

// Deep nesting.
for (const n of [10, 100, 1000]) {
  add('['.repeat(n) + ']'.repeat(n))
  add('{"a":'.repeat(n) + '1' + '}'.repeat(n))
  add('[ '.repeat(n) + ']'.repeat(n))
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const out = inputs.map((input) => {
  try {
    return [input.toString('base64'), JSON.stringify(JSON.parse(decoder.decode(input)))]
  } catch {
    return [input.toString('base64'), null]
  }
})
process.stdout.write('[\n' + out.map((c) => JSON.stringify(c)).join(',\n') + '\n]\n')
