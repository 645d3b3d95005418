// What the compiler does not see: files that grow too long, things left behind, and a lock file that names a registry.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const problems = [];
const files = (folder) => readdirSync(folder, { withFileTypes: true }).flatMap((e) => (e.isDirectory() ? files(join(folder, e.name)) : [join(folder, e.name)]));

for (const path of ['src', 'unit', 'e2e'].flatMap(files)) {
  const lines = readFileSync(path, 'utf8').split('\n');
  if (lines.length > 700) problems.push(`${path}: ${lines.length} lines; split it before 700`);
  lines.forEach((line, i) => {
    const say = (what) => problems.push(`${path}:${i + 1}: ${what}`);
    if (/\b(TODO|FIXME|XXX)\b/.test(line)) say('unfinished');
    if (/[ \t]$/.test(line)) say('blanks at the end of the line');
    if (/\t/.test(line)) say('a tab');
    if (path.startsWith('src')) {
      if (/\bconsole\.(log|warn|error|debug)/.test(line)) say('console output');
      if (/\b(innerHTML|eval|document\.write|dangerouslySetInnerHTML)\b/.test(line)) say('text must not become code');
      if (/https?:\/\//.test(line)) say('the pages load nothing from anywhere');
    }
  });
}
const lock = readFileSync('package-lock.json', 'utf8');
if (/"resolved"|https?:\/\/[^"]*registry/.test(lock)) problems.push('package-lock.json: names a registry');
const { dependencies, devDependencies, packages } = { ...JSON.parse(readFileSync('package.json', 'utf8')), packages: JSON.parse(lock).packages };
for (const name of Object.keys({ ...dependencies, ...devDependencies })) if (!packages[`node_modules/${name}`]) problems.push(`package-lock.json: lacks ${name}`);

for (const p of problems) console.error(`error: ${p}`);
process.exit(problems.length ? 1 : 0);
