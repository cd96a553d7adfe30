// Checks that parameters of a media type survive writing and reading. Runs in the project's directory.
const assert = require('node:assert');
const Module = require('node:module');
const path = require('node:path');

// The only dependency of the module; the package is fetched without its dependencies.
class Cache extends Map {
  constructor() {
    super();
  }
}
const load = Module._load;
Module._load = function (name, ...rest) {
  return name === 'toad-cache' ? { FifoMap: Cache } : load.call(this, name, ...rest);
};
const ContentType = require(path.resolve('lib/content-type.js'));

const plain = new ContentType('text/plain; charset=utf-8');
assert.strictEqual(plain.toString(), 'text/plain; charset="utf-8"');
const quoted = new ContentType('multipart/mixed; boundary="a\\"b\\\\c"');
assert.strictEqual(quoted.parameters.get('boundary'), 'a"b\\c');
const again = new ContentType(quoted.toString());
assert.strictEqual(again.parameters.get('boundary'), 'a"b\\c');
