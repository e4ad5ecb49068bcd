package io.github.stablecut.examples.datacentre;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.replication.ReplicationTransport;
import java.util.List;

/**
 * A transport with faults of its own towards each data centre. Thread-safe.
 *
 * @param whole what carries all messages in the end
 * @param directions that with the faults, by the number of the data centre
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
