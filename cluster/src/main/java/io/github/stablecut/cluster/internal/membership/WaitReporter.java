package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.cluster.JoinRefusedException;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Logs every few seconds what a starting node waits for. Confined to its node's actor. */
public final class WaitReporter {
  /** How long an observer waits. */
  private static final Duration OBSERVER_TIMEOUT = Duration.ofSeconds(20);

  /** The interval of log messages. */
  private static final Duration LOG_INTERVAL = Duration.ofSeconds(5);

  private final NodeSettings settings;
  private final LongSupplier nanoTime;
  private final Consumer<MembershipAction> out;
  private final long startedNanos;
  private long loggedNanos;

  /**
   * @param nanoTime as {@link System#nanoTime}
   * @param out receives log messages, or the reason to fail
   */
  WaitReporter(NodeSettings settings, LongSupplier nanoTime, Consumer<MembershipAction> out) {
    this.settings = settings;
    this.nanoTime = nanoTime;
    this.out = out;
    this.startedNanos = nanoTime.getAsLong();
    this.loggedNanos = startedNanos;
  }

  /**
   * Reports that the node waits for something; fails an observer that has waited too long.
   *
   * @param what describes it; called only when it is logged
   */
  public void reportWait(Supplier<String> what) {
    if (settings.isObserver() && nanoTime.getAsLong() - startedNanos > OBSERVER_TIMEOUT.toNanos()) {
      out.accept(
          new MembershipAction.Fail(
              new JoinRefusedException(
                  "the observer gives up after %d s: node %s %s"
                      .formatted(OBSERVER_TIMEOUT.toSeconds(), settings.name(), what.get()))));
    } else if (nanoTime.getAsLong() - loggedNanos > LOG_INTERVAL.toNanos()) {
      loggedNanos = nanoTime.getAsLong();
      out.accept(new MembershipAction.Log("node %s %s".formatted(settings.name(), what.get())));
    }
  }

  /** Reports that the node waits for other nodes, and names settings that prevent connections. */
  public void reportWaitForNodes(Supplier<String> what) {
    NodeSettings.Endpoint endpoint = settings.endpoint();
    reportWait(
        () ->
            "%s: its own address is %s and it has %s cluster.tls; nodes answer only at exactly their own address, and either all nodes have cluster.tls, with certificates of one authority and a common name, or none has"
                .formatted(
                    what.get(), endpoint.address(), endpoint.tls().isPresent() ? "a" : "no"));
  }
}
