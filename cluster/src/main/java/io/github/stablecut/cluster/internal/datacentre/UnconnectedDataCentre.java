package io.github.stablecut.cluster.internal.datacentre;

import io.github.stablecut.error.PrintableText;
import io.github.stablecut.error.ReplicationRefusedException;
import io.github.stablecut.replication.DataCentre;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * The data centre of a server that does not replicate. Thread-safe.
 *
 * @param storeId supplies the id of its store
 */
public record UnconnectedDataCentre(LongSupplier storeId) implements DataCentreCommands {
  @Override
  public String descriptor() {
    return "stablecut %016x".formatted(storeId.getAsLong());
  }

  @Override
  public Optional<Integer> own() {
    return Optional.empty();
  }

  @Override
  public List<DataCentre> all() {
    return List.of();
  }

  @Override
  public Optional<Operation> last() {
    return Optional.empty();
  }

  @Override
  public List<String> addresses(List<String> descriptors) {
    for (String other : descriptors) {
      if (!other.equals(descriptor())) {
        throw new ReplicationRefusedException(
            "this server does not listen for other data centres and so can't be connected to one: start it with --dc-listen HOST:PORT (replication.listen); the descriptor \"%s\" is not its own"
                .formatted(PrintableText.of(other, Descriptor.MAX_SHOWN)));
      }
    }
    return List.of();
  }

  /** Succeeds without addresses: the data centre is connected to itself. */
  @Override
  public void connect(List<String> addresses) {
    if (!addresses.isEmpty()) {
      throw refused();
    }
  }

  @Override
  public void beginToJoin(String address) {
    throw refused();
  }

  @Override
  public void detach(int number) {
    throw refused();
  }

  @Override
  public void beginToLeave() {
    throw refused();
  }

  private static ReplicationRefusedException refused() {
    return new ReplicationRefusedException(
        "this server does not listen for other data centres: start it with --dc-listen HOST:PORT"
            + " (replication.listen)");
  }
}
