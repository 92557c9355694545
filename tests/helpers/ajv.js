// SPDX-License-Identifier: MIT
// Validates recipes by schemas/recipe.schema.json alone. Prints one line for each, "valid FILE" or "invalid FILE:
// ERRORS".
//     NODE_PATH=.build/node/node_modules node tests/helpers/ajv.js RECIPE...
'use strict';
const fs = require('fs');
const Ajv = require('ajv');
const YAML = require('yaml');

const ajv = new Ajv({ allErrors: true, strict: true, strictRequired: false, allowUnionTypes: true });
const validate = ajv.compile(JSON.parse(fs.readFileSync('schemas/recipe.schema.json', 'utf8')));
for (const path of process.argv.slice(2)) {
    const good = validate(YAML.parse(fs.readFileSync(path, 'utf8')));
    console.log(good ? `valid ${path}` : `invalid ${path}: ${ajv.errorsText(validate.errors)}`);
}
