package io.github.stablecut.cluster.internal.operations;

import io.github.stablecut.cluster.MoveRefusedException;
import io.github.stablecut.cluster.internal.network.HttpAnswer;
import io.github.stablecut.cluster.internal.network.HttpCall;
import io.github.stablecut.error.UsageException;
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

  /** The answer to a request. */
  public HttpAnswer answer(HttpCall call) {
    return call.isPost() ? change(call) : tell(call.path());
  }

  private HttpAnswer change(HttpCall call) {
    try {
      switch (call.path()) {
        case "/api/v1/cluster/move" ->
            facts.move(number(call, "partition"), required(call, "node"));
        case "/api/v1/cluster/leave" -> facts.leave();
        default -> {
          return HttpAnswer.text(
              404,
              "what is changed here are /api/v1/cluster/move and /api/v1/cluster/leave, not "
                  + call.path());
        }
      }
      return HttpAnswer.text(202, "it has begun");
    } catch (UsageException e) {
      return HttpAnswer.text(409, String.valueOf(e.getMessage()));
    }
  }

  private static String required(HttpCall call, String name) {
    return call.parameter(name)
        .orElseThrow(() -> new MoveRefusedException("the parameter " + name + " is missing"));
  }

  private static int number(HttpCall call, String name) {
    String text = required(call, name);
    if (!text.matches("[0-9]{1,9}")) {
      throw new MoveRefusedException("%s is a number, not \"%s\"".formatted(name, text));
    }
    return Integer.parseInt(text);
  }

  private HttpAnswer tell(String path) {
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
