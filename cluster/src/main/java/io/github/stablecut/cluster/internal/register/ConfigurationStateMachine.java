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
 * The layouts, as the entries of the register's log have made them. There are as few entries as
 * failovers, so the log is kept whole, and read at each start. Ratis applies one entry after the
 * other; thread-safe.
 */
final class ConfigurationStateMachine extends BaseStateMachine {
  /**
   * No partition has this number. Its layout has the changes of the plan on which the nodes have
   * agreed, as if these were voters; the epoch is the number of the last, counted from the plan's
   * first. A command has one change only, as leader and voter, which goes behind the others.
   */
  static final int CHANGES = -1;

  private final Map<Integer, Configuration> configurations = new ConcurrentHashMap<>();
  private final Runnable failed;

  /**
   * @param failed is called when the log can't be written any more
   */
  ConfigurationStateMachine(Runnable failed) {
    this.failed = failed;
  }

  @Override
  public void notifyLogFailed(Throwable cause, LogEntryProto entry) {
    failed.run();
  }

  @Override
  public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
    ByteString entry = transaction.getLogEntry().getStateMachineLogEntry().getLogData();
    var index = transaction.getLogEntry();
    var unused = updateLastAppliedTermIndex(index.getTerm(), index.getIndex());
    byte[] outcome = apply(RegisterCommand.read(entry.toByteArray())).toBytes();
    return CompletableFuture.completedFuture(Message.valueOf(ByteString.copyFrom(outcome)));
  }

  /** The layout of a partition, as of the entries that were applied here; others may be newer. */
  Optional<Configuration> known(int partition) {
    return Optional.ofNullable(configurations.get(partition));
  }

  RegisterCommand.Outcome apply(RegisterCommand command) {
    Optional<Configuration> before = Optional.ofNullable(configurations.get(command.partition()));
    if (command.next().filter(next -> follows(next, before)).isEmpty()) {
      return new RegisterCommand.Outcome(false, before);
    }
    Configuration next = command.next().get();
    Configuration now = command.partition() == CHANGES ? behind(before, next) : next;
    var unused = configurations.put(command.partition(), now);
    return new RegisterCommand.Outcome(true, Optional.of(now));
  }

  private static Configuration behind(Optional<Configuration> before, Configuration next) {
    if (next.voters().size() != 1) {
      throw new IllegalStateException(
          "an entry of the register has %d changes of the plan instead of one: another version has written it"
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

  /** The first one says itself with which epoch it begins, as the cluster's plan says to all. */
  private static boolean follows(Configuration next, Optional<Configuration> before) {
    return before.isEmpty() || next.epoch() == before.get().epoch() + 1;
  }
}
