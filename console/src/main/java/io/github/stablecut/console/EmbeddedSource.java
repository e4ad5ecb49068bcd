package io.github.stablecut.console;

import io.github.stablecut.Latencies;
import io.github.stablecut.Store;
import java.util.List;
import java.util.Map;

/** The source of an embedded store, which no server serves. Immutable. */
record EmbeddedSource(Store store) implements ConsoleSource {
  @Override
  public String name() {
    return "an embedded store";
  }

  @Override
  public List<Node> nodes() {
    return List.of();
  }

  @Override
  public List<Partition> places() {
    return List.of();
  }

  @Override
  public Map<String, Latencies> requests() {
    return Map.of();
  }

  @Override
  public List<String> warnings() {
    return List.of();
  }
}
