// What a user of antidote_ts_client does whose cluster may lose a node: failover.js PORT...
// Each write is repeated, at the next node, until one acknowledges it; a repetition changes nothing.
// Ends when its input ends: then what was acknowledged must be there.
const antidote = require('antidote_ts_client');

const PORTS = process.argv.slice(2).map(Number);
const SETS = 6;
const PER_SET = 50;
const failures = {};
let at = 0;
let clock = undefined;
let isOver = false;
let connection = open();

process.stdin.on('end', () => (isOver = true)).resume();

function open() {
  const opened = antidote.connect(PORTS[at++ % PORTS.length], '127.0.0.1');
  opened.defaultBucket = 'failover-javascript';
  opened.setTimeout(5000);
  return opened;
}

async function retried(action) {
  for (;;) {
    try {
      // What was seen or written through another connection is seen through this one, too.
      connection.minSnapshotTime = clock;
      const done = await action(connection);
      clock = connection.getLastCommitTimestamp() || clock;
      return done;
    } catch (failed) {
      const what = String(failed.message || failed).split('\n')[0];
      failures[what] = (failures[what] || 0) + 1;
      connection.close();
      await new Promise(resolve => setTimeout(resolve, 50));
      connection = open();
    }
  }
}

function set(store, name, i) {
  return store.set(`${name}-${Math.floor(i / PER_SET / SETS)}-${i % SETS}`);
}

function check(what, isTrue) {
  if (!isTrue) {
    console.log('wrong: ' + what);
    process.exit(1);
  }
}

async function pair(i) {
  await retried(async store => {
    const transaction = await store.startTransaction();
    await transaction.update([set(transaction, 'left', i).add(i), set(transaction, 'right', i + 1).add(i)]);
    await transaction.commit();
  });
  const both = await retried(store => store.readBatch([set(store, 'left', i), set(store, 'right', i + 1)]));
  check(`both have ${i}, which was acknowledged`, both.every(one => one.includes(i)));
}

async function main() {
  let i = 0;
  for (; !isOver; i++) {
    await retried(store => store.update(set(store, 'one', i).add(i)));
    check(`${i} is read after its write`, (await retried(store => set(store, 'one', i).read())).includes(i));
    if (i % 4 === 0) {
      await pair(i);
    }
    if (i % 10 === 0) {
      console.log(`acknowledged ${i}`);
    }
  }
  for (let k = 0; k < i; k++) {
    check(`${k} is there`, (await retried(store => set(store, 'one', k).read())).includes(k));
  }
  console.log(`ok: ${i} are there; ${JSON.stringify(failures)}`);
  connection.close();
}

main();
