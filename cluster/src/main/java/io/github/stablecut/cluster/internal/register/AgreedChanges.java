package io.github.stablecut.cluster.internal.register;

import io.github.stablecut.internal.replica.Configuration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Commands and results for the changes of the plan in the configuration register. Stateless. */
final class AgreedChanges {
  private AgreedChanges() {}

  /** A command that reads the changes. */
  static RegisterCommand read() {
    return new RegisterCommand(ConfigurationStateMachine.CHANGES, Optional.empty());
  }

  /**
   * A command that appends a change. It carries only the new one, as all changes together may
   * outgrow an entry.
   */
  static RegisterCommand append(long number, String change) {
    return new RegisterCommand(
        ConfigurationStateMachine.CHANGES,
        Optional.of(new Configuration(number, change, List.of(change))));
  }

  /**
   * All changes, in order.
   *
   * @param own the changes of a node's plan
   * @param agreed the changes in the register
   */
  static List<String> combine(List<String> own, Optional<Configuration> agreed) {
    if (agreed.isEmpty()) {
      return own;
    }
    List<String> later = agreed.get().voters();
    int before = countBeforeRegister(agreed.get());
    if (own.size() < before) {
      throw new IllegalStateException(
          "the plan of this node has %d changes, and lacks some of the %d that were made before the register existed"
              .formatted(own.size(), before));
    }
    return Stream.concat(own.stream().limit(before), later.stream()).toList();
  }

  /** Whether a node's plan has all changes that were made before the register existed. */
  static boolean hasAllBeforeRegister(List<String> own, Configuration agreed) {
    return own.size() >= countBeforeRegister(agreed);
  }

  private static int countBeforeRegister(Configuration agreed) {
    return Math.toIntExact(agreed.epoch() - agreed.voters().size());
  }

  /** Returns the reason why the register can't store a change; empty if it can. */
  static Optional<String> refusal(String change) {
    int bytes = append(1, change).toBytes().length;
    return bytes <= RegisterProperties.MAX_COMMAND_BYTES
        ? Optional.empty()
        : Optional.of(
            "the list of nodes that may have replicas takes %d bytes of the configuration register, more than %d: use fewer nodes, or shorter names of nodes and zones"
                .formatted(bytes, RegisterProperties.MAX_COMMAND_BYTES));
  }
}
