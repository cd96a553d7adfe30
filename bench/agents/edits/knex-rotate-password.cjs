// Checks that a hidden password can be replaced and stays hidden. Runs in the project's directory.
'use strict';
const assert = require('node:assert');
const path = require('node:path');
const { setHiddenProperty } = require(path.resolve('lib/util/security.js'));

const settings = { user: 'a', password: 'old' };
setHiddenProperty(settings);
settings.password = 'new';
assert.strictEqual(settings.password, 'new');
assert.deepStrictEqual(Object.keys(settings), ['user']);
const copy = {};
setHiddenProperty(copy, settings);
assert.strictEqual(copy.password, 'new');
copy.password = 'newer';
assert.strictEqual(JSON.stringify(copy), '{}');
