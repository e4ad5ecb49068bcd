package io.github.stablecut.examples.datacentre;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.replication.ReplicationTransport;
import java.util.List;

/**
 * A transport with separate faults for each data centre. Thread-safe.
 *
 * @param whole the transport that finally carries all messages
 * @param directions the transport with faults, by the number of the target data centre
 */
record SplitTransport(ReplicationTransport whole, List<ReplicationTransport> directions)
    implements ReplicationTransport {
  @Override
  public void open(Receiver receiver) {
    whole.open(receiver);
  }

  @Override
  public void send(int dataCentre, Bytes message) {
    directions.get(dataCentre).send(dataCentre, message);
  }

  @Override
  public void close() {
    directions.forEach(ReplicationTransport::close);
  }
}
