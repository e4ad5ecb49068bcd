// The client's own tests know port 8087 only: this leads them to the server under test.
const net = require('net');
const connect = net.createConnection;
net.createConnection = (port, host) =>
  port === 8087 ? connect(Number(process.env.STABLECUT_PORT), '127.0.0.1') : connect(port, host);

// Their limit of a minute is one on the machine: a request gets ten here, and Mocha runs with --no-timeouts.
const { AntidoteConnection } = require('antidote_ts_client/dist/antidoteConnection');
Object.defineProperty(AntidoteConnection.prototype, 'requestTimeoutMs', { get: () => 600000, set: () => {} });
