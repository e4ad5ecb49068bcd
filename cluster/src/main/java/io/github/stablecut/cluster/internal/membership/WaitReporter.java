package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.cluster.JoinRefusedException;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Says every few seconds what a node waits for. Confined to its node's actor. */
public final class WaitReporter {
  /** So long a visitor waits. */
  private static final Duration VISITORS_PATIENCE = Duration.ofSeconds(20);

  /** So often is said what is waited for. */
  private static final Duration EVERY = Duration.ofSeconds(5);

  private final NodeSettings settings;
  private final LongSupplier nanoTime;
  private final Consumer<MembershipAction> out;
  private final long began;
  private long said;

  /**
   * @param nanoTime as {@link System#nanoTime}
   * @param out gets what is to be logged, or why the node gives up
   */
  WaitReporter(NodeSettings settings, LongSupplier nanoTime, Consumer<MembershipAction> out) {
    this.settings = settings;
    this.nanoTime = nanoTime;
    this.out = out;
    this.began = nanoTime.getAsLong();
    this.said = began;
  }

  /**
   * The node waits for something; a visitor has it given up some time.
   *
   * @param what is asked when it is said
   */
  public void waitsFor(Supplier<String> what) {
    if (settings.isObserver() && nanoTime.getAsLong() - began > VISITORS_PATIENCE.toNanos()) {
      out.accept(
          new MembershipAction.Fail(
              new JoinRefusedException(
                  "the visit is given up after %d s: node %s %s"
                      .formatted(VISITORS_PATIENCE.toSeconds(), settings.name(), what.get()))));
    } else if (nanoTime.getAsLong() - said > EVERY.toNanos()) {
      said = nanoTime.getAsLong();
      out.accept(new MembershipAction.Log("node %s %s".formatted(settings.name(), what.get())));
    }
  }

  /** It waits for nodes that may not understand it: what keeps nodes from that. */
  public void waitsForOthers(Supplier<String> what) {
    NodeSettings.Endpoint endpoint = settings.endpoint();
    waitsFor(
        () ->
            "%s: it calls itself %s and has %s cluster.tls; nodes answer only to the address that they call themselves by, and all have cluster.tls, with certificates of one authority and with a name in common, or none"
                .formatted(
                    what.get(), endpoint.address(), endpoint.tls().isPresent() ? "a" : "no"));
  }
}
