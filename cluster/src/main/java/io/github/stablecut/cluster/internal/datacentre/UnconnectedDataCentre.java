package io.github.stablecut.cluster.internal.datacentre;

import io.github.stablecut.error.PrintableText;
import io.github.stablecut.error.ReplicationRefusedException;
import io.github.stablecut.replication.DataCentre;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * The data centre of a server that exchanges nothing with others. Thread-safe.
 *
 * @param storeId which store it serves
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
  public Optional<Order> last() {
    return Optional.empty();
  }

  @Override
  public List<String> addresses(List<String> descriptors) {
    for (String other : descriptors) {
      if (!other.equals(descriptor())) {
        throw new ReplicationRefusedException(
            "this server can't be connected to another data centre, it listens for none: start it with --dc-listen HOST:PORT (replication.listen); the descriptor \"%s\" is not its own"
                .formatted(PrintableText.of(other, Descriptor.MAX_SHOWN)));
      }
    }
    return List.of();
  }

  /** It is connected to itself. */
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
        "this server listens for no other data centres: start it with --dc-listen HOST:PORT"
            + " (replication.listen)");
  }
}
