package io.github.stablecut.cluster.internal.register;

import io.github.stablecut.internal.replica.Configuration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;

/**
 * The configurations of all partitions, built from the entries of the register's log. Entries are
 * as rare as failovers, so the whole log is kept, and read at each start. Ratis applies entries one
 * at a time. Thread-safe.
 */
final class ConfigurationStateMachine extends BaseStateMachine {
  /**
   * A pseudo-partition. Its configuration has the agreed changes of the plan in the place of
   * voters; its epoch is the number of the last change, counted from the plan's first. A command
   * has a single change, as its leader and voter, which is appended to the others.
   */
  static final int CHANGES = -1;

  private final Map<Integer, Configuration> configurations = new ConcurrentHashMap<>();
  private final Runnable onLogFailure;

  /**
   * @param onLogFailure called when the log can no longer be written
   */
  ConfigurationStateMachine(Runnable onLogFailure) {
    this.onLogFailure = onLogFailure;
  }

  @Override
  public void notifyLogFailed(Throwable cause, LogEntryProto entry) {
    onLogFailure.run();
  }

  @Override
  public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
    ByteString entry = transaction.getLogEntry().getStateMachineLogEntry().getLogData();
    var index = transaction.getLogEntry();
    updateLastAppliedTermIndex(index.getTerm(), index.getIndex());
    byte[] outcome = apply(RegisterCommand.read(entry.toByteArray())).toBytes();
    return CompletableFuture.completedFuture(Message.valueOf(ByteString.copyFrom(outcome)));
  }

  /**
   * The configuration of a partition according to the entries applied here; a newer one may exist.
   */
  Optional<Configuration> known(int partition) {
    return Optional.ofNullable(configurations.get(partition));
  }

  RegisterCommand.Outcome apply(RegisterCommand command) {
    Optional<Configuration> before = Optional.ofNullable(configurations.get(command.partition()));
    if (command.next().filter(next -> follows(next, before)).isEmpty()) {
      return new RegisterCommand.Outcome(false, before);
    }
    Configuration next = command.next().get();
    Configuration now = command.partition() == CHANGES ? appended(before, next) : next;
    configurations.put(command.partition(), now);
    return new RegisterCommand.Outcome(true, Optional.of(now));
  }

  private static Configuration appended(Optional<Configuration> before, Configuration next) {
    if (next.voters().size() != 1) {
      throw new IllegalStateException(
          "an entry of the configuration register has %d changes of the plan instead of one: another version of the program wrote it"
              .formatted(next.voters().size()));
    }
    return new Configuration(
        next.epoch(),
        next.leader(),
        Stream.concat(
                before.map(Configuration::voters).orElse(List.of()).stream(),
                next.voters().stream())
            .toList());
  }

  /** A first configuration may begin with any epoch: all nodes take it from the cluster's plan. */
  private static boolean follows(Configuration next, Optional<Configuration> before) {
    return before.isEmpty() || next.epoch() == before.get().epoch() + 1;
  }
}
