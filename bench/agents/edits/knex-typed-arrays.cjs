// Checks how typed arrays are escaped. Runs in the project's directory.
const assert = require('node:assert');
const path = require('node:path');
const { makeEscape } = require(path.resolve('lib/util/string.js'));

const bytes = new Uint8Array([1, 255]);
assert.strictEqual(makeEscape()(bytes), makeEscape()(Buffer.from(bytes)));
const own = makeEscape({ escapeBuffer: (value) => `'\\x${value.toString('hex')}'` });
assert.strictEqual(own(bytes), "'\\x01ff'");
assert.strictEqual(makeEscape()({ a: 1 }), '{"a":1}');
// A view of a part of a larger buffer.
assert.strictEqual(makeEscape()(new Uint8Array([7, 1, 255]).subarray(1)), "X'01ff'");
