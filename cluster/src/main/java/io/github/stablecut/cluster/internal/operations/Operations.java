package io.github.stablecut.cluster.internal.operations;

import io.github.stablecut.cluster.internal.network.HttpAnswer;
import java.util.Optional;

/** The answers of the port for operators. Thread-safe. */
public final class Operations {
  private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

  private final ServerFacts facts;
  private final Metrics metrics;

  /** Answers about a server. */
  public Operations(ServerFacts facts, Metrics metrics) {
    this.facts = facts;
    this.metrics = metrics;
  }

  /** The answer to a GET of a path. */
  public HttpAnswer answer(String path) {
    return switch (path) {
      case "/alive" -> HttpAnswer.text(200, "alive");
      case "/ready" -> ready();
      case "/metrics" -> new HttpAnswer(200, PROMETHEUS, metrics.text());
      case "/api/v1/status" -> new HttpAnswer(200, "application/json", StatusReport.json(facts));
      default ->
          HttpAnswer.text(
              404, "there are /alive, /ready, /metrics and /api/v1/status, not " + path);
    };
  }

  private HttpAnswer ready() {
    Optional<String> trouble = facts.trouble();
    return trouble
        .map(reason -> HttpAnswer.text(503, "not ready: " + reason))
        .orElseGet(() -> HttpAnswer.text(200, "ready"));
  }
}
