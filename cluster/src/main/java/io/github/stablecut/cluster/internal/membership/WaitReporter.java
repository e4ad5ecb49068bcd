package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.cluster.JoinRefusedException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says every few seconds what a node waits for. Confined to its node's actor. */
public final class WaitReporter {
  private static final Logger LOG = LoggerFactory.getLogger(WaitReporter.class);

  /** So long a visitor waits. */
  private static final Duration VISITORS_PATIENCE = Duration.ofSeconds(20);

  /** So often is said what is waited for. */
  private static final Duration EVERY = Duration.ofSeconds(5);

  private final NodeSettings settings;
  private final NodeHost host;
  private final long began = System.nanoTime();
  private long said = began;

  public WaitReporter(NodeSettings settings, NodeHost host) {
    this.settings = settings;
    this.host = host;
  }

  /** The node waits for something; a visitor has it given up some time. */
  public void waitsFor(String what) {
    if (settings.isVisitor() && System.nanoTime() - began > VISITORS_PATIENCE.toNanos()) {
      host.failed(
          new JoinRefusedException(
              "the visit is given up after %d s: node %s %s"
                  .formatted(VISITORS_PATIENCE.toSeconds(), settings.name(), what)));
    } else if (System.nanoTime() - said > EVERY.toNanos()) {
      said = System.nanoTime();
      LOG.warn("node {} {}", settings.name(), what);
    }
  }

  /** It waits for nodes that may not understand it: what keeps nodes from that. */
  public void waitsForOthers(String what) {
    NodeSettings.Endpoint endpoint = settings.endpoint();
    waitsFor(
        "%s: it calls itself %s and has %s cluster.tls; nodes answer only to the address that they call themselves by, and all have cluster.tls or none"
            .formatted(what, endpoint.address(), endpoint.tls().isPresent() ? "a" : "no"));
  }
}
