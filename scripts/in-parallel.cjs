/** Runs npm scripts side by side, as many at a time as there are processors, and prints the output of each when it ends. */
const { spawn } = require('node:child_process');
const { availableParallelism } = require('node:os');

const queue = process.argv.slice(2);
const workers = Math.min(queue.length, availableParallelism());
void Promise.all(Array.from({ length: workers }, work));

async function work() {
  for (let name = queue.shift(); name; name = queue.shift()) {
    const { output, failed } = await run(name);
    process.stdout.write(output);
    if (failed) {
      process.exitCode = 1;
      process.stderr.write(`npm run ${name} failed.\n`);
    }
  }
}

function run(name) {
  const child = spawn('npm', ['run', '--silent', name], {
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  });
  const chunks = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk));
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ output: `${error.message}\n`, failed: true }));
    child.once('close', (code) => resolve({ output: Buffer.concat(chunks), failed: code !== 0 }));
  });
}
