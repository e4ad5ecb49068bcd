// Before the client's own tests: what its users write whose cluster may lose a node. Each connection goes to the next
// node, and sees what the last one has seen. A test that fails is repeated from its beginning (mocha --retries), with
// objects that nobody has used. What is read must be right each time.
const assert = require('assert');
const net = require('net');
const antidote = require('antidote_ts_client/dist/antidote');

const PORTS = process.env.STABLECUT_PORTS.split(',').map(Number);
let at = process.pid;
const createConnection = net.createConnection;
net.createConnection = (port, host) =>
  port === 8087 ? createConnection(PORTS[at++ % PORTS.length], '127.0.0.1') : createConnection(port, host);

const opened = [];
const connect = antidote.connect;
antidote.connect = (port, host) => {
  const made = connect(port, host);
  Object.defineProperty(made, 'minSnapshotTime', { get: () => made.lastCommitTimestamp, set: () => {} });
  opened.push(made);
  return made;
};

for (const name of ['equal', 'deepEqual']) {
  const check = assert[name];
  assert[name] = (...values) => {
    try {
      check(...values);
    } catch (failed) {
      console.log('wrong: ' + failed.message);
      throw failed;
    }
  };
}

let tries = 0;
beforeEach(() => {
  tries++;
  opened.forEach(one => (one.defaultBucket = 'suite' + Math.random()));
  return new Promise(resolve => setTimeout(resolve, 50));
});
after(() => console.log(tries + ' tries'));
