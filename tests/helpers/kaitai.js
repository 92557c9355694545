// SPDX-License-Identifier: MIT
// Reads a stream by its Kaitai description and prints its content, one fact on each line:
//     NODE_PATH=.build/node/node_modules node tests/helpers/kaitai.js frame|histogram|grid FILE [COORDINATES]
// The file COORDINATES receives the coordinates unchanged: little-endian float32, all x, then all y, then all z of each
// frame, and its velocities likewise.
'use strict';
const fs = require('fs');
const { execFileSync } = require('child_process');
const compiler = require('kaitai-struct-compiler');
const KaitaiStream = require('kaitai-struct/KaitaiStream');
const YAML = require('yaml');

// The runtime rounds integers above 2^53.
KaitaiStream.prototype.readU8le = function () {
    const low = this.readU4le(), high = this.readU4le();
    return high < 0x200000 ? high * 0x100000000 + low : (BigInt(high) << 32n) | BigInt(low);
};
KaitaiStream.prototype.readS8le = function () {
    const low = this.readU4le(), high = this.readS4le();
    return (BigInt(high) << 32n) | BigInt(low);
};

function description(name) {
    return YAML.parse(fs.readFileSync(`schemas/${name}.ksy`, 'utf8'));
}

// Compiled modules load each other and the runtime by `require`.
async function load(name) {
    const importer = { importYaml: (id) => Promise.resolve(description(id)) };
    const files = await compiler.compile('javascript', description(name), importer, false);
    const modules = { 'kaitai-struct/KaitaiStream': KaitaiStream };
    function get(id) {
        const key = id.replace(/^\.\//, '');
        if (!modules[key]) {
            const exported = (modules[key] = {});
            const module = { exports: exported };
            const run = new Function('module', 'exports', 'require', 'define', files[`${key}.js`]);
            run(module, exported, get, undefined);
            modules[key] = module.exports;
        }
        return modules[key];
    }
    const title = name.replace(/(^|_)(.)/g, (_, __, letter) => letter.toUpperCase());
    const exported = get(title);
    return { main: exported[title] || exported, shared: get('BlockStream').BlockStream };
}

const lines = [];
function print(...words) {
    lines.push(words.join(' '));
}

// Returns the body of a block, decompressed if necessary.
function body(block, parse) {
    if (!block.header.compressed) return block.body;
    const raw = execFileSync('zstd', ['-dcq'], { input: block.body, maxBuffer: 1 << 30 });
    const { type, raw: expected } = block.header;
    if (raw.length !== expected) throw new Error(`${type}: ${raw.length} bytes, not ${expected}`);
    return parse[type](new KaitaiStream(raw));
}

function printBlock(number, block) {
    const h = block.header;
    const use = h.required ? 'required' : 'optional', coding = h.compressed ? 'zstd' : 'raw';
    print('block', number, h.type, use, coding, h.stored, h.raw);
}

function printShared(type, content) {
    if (type === 'PROV') content.lines.forEach((line) => print('provenance', line.value));
    if (type === 'FAIL') print('failure', content.tool.value, content.status, content.message.value);
    if (type === 'SRCE') print('source', content.fingerprint.toString(16).padStart(16, '0'), content.name.value);
}

function frames({ main, shared }, data, coordinates) {
    const stream = new main(new KaitaiStream(data));
    const atoms = stream.atoms, xyz = [];
    const parse = {
        PROV: (io) => new shared.Provenance(io),
        SRCE: (io) => new shared.Source(io),
        FAIL: (io) => new shared.Failure(io),
        GRPS: (io) => new main.Groups(io, null, stream),
        RESI: (io) => new main.Ids(io, null, stream, atoms),
        MOLE: (io) => new main.Ids(io, null, stream, atoms),
        ELEM: (io) => new main.Elements(io, null, stream, atoms),
        SITE: (io) => new main.Sites(io, null, stream),
        ATOM: (io) => new main.Numbers(io, null, stream),
        BOND: (io) => new main.Bonds(io, null, stream),
        FRAM: (io) => new main.Frames(io, null, stream, atoms, io.size),
        FRMX: (io) => new main.PackedFrames(io, null, stream),
        FRMZ: (io) => new main.CompressedFrames(io, null, stream),
        PREC: (io) => new main.Precision(io, null, stream),
        PROP: (io) => new main.Property(io, null, stream, atoms),
        VARY: (io) => new main.Varying(io, null, stream),
        SEGM: (io) => new main.Segment(io, null, stream),
        VELO: (io) => new main.Velocities(io, null, stream, atoms),
        VELZ: (io) => new main.CompressedVelocities(io, null, stream),
        IMAG: (io) => new main.Images(io, null, stream, atoms),
        INDX: (io) => new main.Index(io, null, stream),
    };
    print('version', stream.header.major, stream.header.minor);
    let at = 24;
    stream.blocks.forEach((block, number) => {
        const c = body(block, parse), type = block.header.type;
        printBlock(number, block);
        print('at', number, at);
        at += 40 + block.header.stored;
        printShared(type, c);
        if (type === 'HEAD') print('atoms', c.atoms, 'of', c.sourceAtoms);
        if (type === 'GRPS') c.groups.forEach((g) => print('group', g.name.value, g.count, ...g.atoms));
        if (type === 'RESI') print('residues', ...c.ids);
        if (type === 'MOLE') print('molecules', ...c.ids);
        if (type === 'ELEM') print('elements', `'${c.guessedFrom.value}'`, ...c.elements);
        if (type === 'SITE') print('sites', c.absent, ...c.sites);
        if (type === 'ATOM') print('numbers', ...c.numbers);
        if (type === 'BOND') print('bonds', c.between, ...c.bonds.map((b) => `${b.i}-${b.j}`));
        if (type === 'INDX') {
            c.sources.forEach((p) => print('place SRCE', p.first, p.number, p.offset));
            c.frames.forEach((p) => print('place FRAM', p.first, p.number, p.offset));
            (c.motions || []).forEach((p) => print('place of motion', p.first, p.number, p.offset));
        }
        if (type === 'END!') print('end', c.frames, c.blocks, c.indexNumber, c.indexOffset);
        if (type === 'VARY') c.kinds.forEach((k) => print('varying', k.kind, k.unit.value, k.origin.value));
        const keep = (v) => [v.x, v.y, v.z].forEach((column) => xyz.push(Buffer.from(new Float32Array(column).buffer)));
        if (type === 'VELO') {
            c.frames.forEach((v) => print('velocities', v.unit, v.x[0], v.y[0], v.z[0]));
            c.frames.forEach(keep);
        }
        if (type === 'VELZ') print('velocities', ...c.units, 'bytes', c.data.length);
        if (type === 'IMAG') c.frames.forEach((i) => print('images', ...i.a, ...i.b, ...i.c));
        if (type === 'PREC') print('precision', c.precision);
        if (type === 'SEGM') print('segment', c.first, c.count, c.following, c.total);
        if (type === 'PROP') {
            const values = c.reals || c.integers || c.textOfAtom.map((i) => `'${c.texts[i].value}'`);
            print('property', c.name.value, `'${c.unit.value}'`, `'${c.origin.value}'`, ...values);
        }
        const printHeader = (h) =>
            print('frame', h.source, h.index, h.periodic, h.step, h.time, h.unit, ...h.cell);
        if (type === 'FRMZ') c.headers.forEach(printHeader);
        if (type !== 'FRAM' && type !== 'FRMX') return;
        for (const f of c.frames) {
            printHeader(f.header);
            if (type === 'FRMX') print('packed', f.precision, ...f.low, ...f.high, f.small, f.position, f.data.length);
            else keep(f);
        }
    });
    print('bytes', at);
    if (coordinates) fs.writeFileSync(coordinates, Buffer.concat(xyz));
}

// Returns a 512-bit integer in units of 2^-256 as a number.
function exact(sum) {
    return sum.limbs.reduce((total, limb, i) => total + Number(limb) * 2 ** (64 * i - 256), 0);
}

function histograms({ main, shared }, data) {
    const file = new main(new KaitaiStream(data));
    const parse = {
        PROV: (io) => new shared.Provenance(io),
        SRCE: (io) => new shared.Source(io),
        FAIL: (io) => new shared.Failure(io),
        SETU: (io) => new main.Setup(io, null, file),
        EXCL: (io) => new main.Exclusion(io, null, file),
        LAGS: (io) => new main.Lag(io, null, file),
        COMP: (io) => new main.Composition(io, null, file),
        PREC: (io) => new main.Precision(io, null, file),
        SURF: (io) => new main.Surface(io, null, file),
        SPAC: (io) => new main.Spacings(io, null, file),
        RECO: (io) => new main.Record(io, null, file),
    };
    for (const stream of file.streams) {
        print('version', stream.header.major, stream.header.minor);
        stream.blocks.forEach((block, number) => {
            const c = body(block, parse), type = block.header.type;
            printBlock(number, block);
            printShared(type, c);
            if (type === 'SETU') {
                print('bins', c.rmin, c.rmax, c.bins);
                c.groups.forEach((g) => print('group', g.name.value, g.atoms));
                c.pairs.forEach((p) => print('pair', p.a, p.b, p.pairs));
            }
            if (type === 'EXCL') print('exclusion', c.exclusion.value, ...c.excluded);
            if (type === 'LAGS') print('lag', c.frames, c.time, ...c.own);
            if (type === 'COMP') {
                const groups = c.groups.map((g) => g.elements.map((e) => `${e.number}*${e.atoms}`).join('+'));
                print('composition', c.atoms, `'${c.guessedFrom.value}'`, ...groups);
            }
            if (type === 'PREC') print('precision', c.precision);
            if (type === 'SURF') print('surfaces', c.kind, c.lattice);
            if (type === 'SPAC') print('spacing', ...c.spacing.flatMap((s) => [s.min, s.max]));
            if (type === 'RECO') {
                print('record', c.frames, c.volumeFrames, c.periodicAll, c.periodicAny);
                print('volume', exact(c.volume), exact(c.inverseVolume), c.volumeMin, c.volumeMax);
                print('height', c.heightMin, c.heightMax);
                c.runs.forEach((r) => print('run', r.source, r.first, r.step, r.count));
                print('counts', ...c.counts);
            }
            if (type === 'END!') print('end', c.records, c.frames, c.counted);
        });
    }
}

function grids({ main, shared }, data) {
    const file = new main(new KaitaiStream(data));
    const parse = {
        PROV: (io) => new shared.Provenance(io),
        SRCE: (io) => new shared.Source(io),
        FAIL: (io) => new shared.Failure(io),
        HEAD: (io) => new main.Head(io, null, file),
        ATOM: (io) => new main.Atoms(io, null, file),
        RECO: (io) => new main.Record(io, null, file),
        SLAB: (io) => new main.Slab(io, null, file),
    };
    for (const stream of file.streams) {
        print('version', stream.header.major, stream.header.minor);
        stream.blocks.forEach((block, number) => {
            const c = body(block, parse), type = block.header.type;
            printBlock(number, block);
            printShared(type, c);
            if (type === 'HEAD') {
                print('points', ...c.points);
                [c.origin, ...c.steps].forEach((v) => print('vector', v.x, v.y, v.z));
                print('values', c.periodic, `'${c.quantity.value}'`, `'${c.unit.value}'`, c.kind, c.meaning,
                    c.components, c.quantum, c.errorBound);
            }
            if (type === 'ATOM') {
                c.atoms.forEach((a) => print('atom', a.number, a.charge, a.position.x, a.position.y, a.position.z));
                print('orbitals', ...c.orbitals);
            }
            if (type === 'RECO') {
                print('record', c.frames, c.sum, exact(c.weight));
                c.runs.forEach((r) => print('run', r.source, r.first, r.step, r.count));
            }
            if (type === 'SLAB') {
                print('slab', c.first, c.planes, c.layout);
                print('bytes', Buffer.from(c.values).toString('hex'));
            }
            if (type === 'END!') print('end', c.records, c.frames, c.slabs);
        });
    }
}

async function main() {
    const [kind, file, coordinates] = process.argv.slice(2);
    const parser = await load(`${kind}_stream`);
    const print = { frame: frames, histogram: histograms, grid: grids }[kind];
    print(parser, fs.readFileSync(file), coordinates);
    process.stdout.write(lines.join('\n') + '\n');
}

main().catch((error) => {
    console.error(error);
    process.exit(1);
});
