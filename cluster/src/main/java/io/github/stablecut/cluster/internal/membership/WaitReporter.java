package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.cluster.JoinRefusedException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Logs what a starting node waits for: once it waits for some seconds, whenever that changes, and
 * otherwise once a minute. Confined to its node's actor.
 */
public final class WaitReporter {
  /** The time for which an observer waits. */
  private static final Duration OBSERVER_TIMEOUT = Duration.ofSeconds(20);

  /** The time for which an observer waits if a certificate shows that waiting is useless. */
  private static final Duration OBSERVER_REFUSED = Duration.ofSeconds(2);

  /** The least interval of log messages. */
  private static final Duration LOG_INTERVAL = Duration.ofSeconds(5);

  /** The interval of equal log messages. */
  private static final Duration REPEATED = Duration.ofMinutes(1);

  private final NodeSettings settings;
  private final LongSupplier nanoTime;
  private final Supplier<Optional<String>> tlsRefusal;
  private final Consumer<MembershipAction> out;
  private final long startedNanos;
  private long askedNanos;
  private long loggedNanos;
  private String logged = "";

  /**
   * @param nanoTime as {@link System#nanoTime}
   * @param tlsRefusal as {@link MembershipContext#tlsRefusal}
   * @param out receives log messages, or the reason to fail
   */
  WaitReporter(
      NodeSettings settings,
      LongSupplier nanoTime,
      Supplier<Optional<String>> tlsRefusal,
      Consumer<MembershipAction> out) {
    this.settings = settings;
    this.nanoTime = nanoTime;
    this.tlsRefusal = tlsRefusal;
    this.out = out;
    this.startedNanos = nanoTime.getAsLong();
    this.askedNanos = startedNanos;
    this.loggedNanos = startedNanos;
  }

  /**
   * Reports that the node waits for something; fails an observer that has waited too long.
   *
   * @param what describes it; called only when it may be logged
   */
  public void reportWait(Supplier<String> what) {
    long nowNanos = nanoTime.getAsLong();
    if (settings.isObserver() && nowNanos - startedNanos > OBSERVER_TIMEOUT.toNanos()) {
      fail(
          "the observer gives up after %d s: node %s %s"
              .formatted(OBSERVER_TIMEOUT.toSeconds(), settings.name(), what.get()));
    } else if (nowNanos - askedNanos > LOG_INTERVAL.toNanos()) {
      askedNanos = nowNanos;
      log("node %s %s".formatted(settings.name(), what.get()), nowNanos);
    }
  }

  private void fail(String why) {
    out.accept(new MembershipAction.Fail(new JoinRefusedException(why)));
  }

  private void log(String words, long nowNanos) {
    if (!words.equals(logged) || nowNanos - loggedNanos > REPEATED.toNanos()) {
      logged = words;
      loggedNanos = nowNanos;
      out.accept(new MembershipAction.Log(words));
    }
  }

  /**
   * Reports that the node waits for other nodes, and why it can't connect to them: the certificate
   * that shows it, or the settings that may prevent it.
   */
  public void reportWaitForNodes(Supplier<String> what) {
    Optional<String> refusal = tlsRefusal.get();
    if (settings.isObserver()
        && refusal.isPresent()
        && nanoTime.getAsLong() - startedNanos > OBSERVER_REFUSED.toNanos()) {
      fail("the cluster can't be joined: " + refusal.get());
    } else {
      reportWait(() -> "%s: %s".formatted(what.get(), refusal.orElseGet(this::conditions)));
    }
  }

  private String conditions() {
    NodeSettings.Endpoint endpoint = settings.endpoint();
    return "its own address is %s and it has %s cluster.tls; nodes answer only at exactly their own address, and either all nodes have cluster.tls, with certificates of one authority and a common name, or none has"
        .formatted(endpoint.address(), endpoint.tls().isPresent() ? "a" : "no");
  }
}
