package io.github.stablecut.cluster.internal.register;

import io.github.stablecut.internal.replica.Configuration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The changes of the plan on which the nodes agree, as the register has them. */
final class AgreedChanges {
  private AgreedChanges() {}

  /** Asks for them. */
  static RegisterCommand read() {
    return new RegisterCommand(ConfigurationStateMachine.CHANGES, Optional.empty());
  }

  /** One more. Only that one is sent: all of them would be too large one day. */
  static RegisterCommand next(long number, String change) {
    return new RegisterCommand(
        ConfigurationStateMachine.CHANGES,
        Optional.of(new Configuration(number, change, List.of(change))));
  }

  /**
   * All changes.
   *
   * @param own those of a node's plan
   * @param agreed what the register has
   */
  static List<String> all(List<String> own, Optional<Configuration> agreed) {
    if (agreed.isEmpty()) {
      return own;
    }
    List<String> later = agreed.get().voters();
    int before = before(agreed.get());
    if (own.size() < before) {
      throw new IllegalStateException(
          "the plan of this node has %d changes, and lacks some of the %d that were made before the register"
              .formatted(own.size(), before));
    }
    return Stream.concat(own.stream().limit(before), later.stream()).toList();
  }

  /** Whether a node's plan has those that were made before the register. */
  static boolean isFollowedBy(List<String> own, Configuration agreed) {
    return own.size() >= before(agreed);
  }

  private static int before(Configuration agreed) {
    return Math.toIntExact(agreed.epoch() - agreed.voters().size());
  }

  /** Why one can't be agreed on; empty if it can. */
  static Optional<String> refusal(String change) {
    int bytes = next(1, change).toBytes().length;
    return bytes <= RegisterProperties.MAX_COMMAND_BYTES
        ? Optional.empty()
        : Optional.of(
            "it takes %d bytes of the configuration register to say which nodes may have replicas, more than %d: give fewer nodes, or shorter names of nodes and zones"
                .formatted(bytes, RegisterProperties.MAX_COMMAND_BYTES));
  }
}
