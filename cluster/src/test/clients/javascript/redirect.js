// The client's own tests know port 8087 only: this leads them to the server under test.
const net = require('net');
const connect = net.createConnection;
net.createConnection = (port, host) =>
  port === 8087 ? connect(Number(process.env.STABLECUT_PORT), '127.0.0.1') : connect(port, host);
