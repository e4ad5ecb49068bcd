package io.github.stablecut.cluster.internal.admin;

import io.github.stablecut.Pin;
import io.github.stablecut.cluster.internal.exchange.ExportLines;
import io.github.stablecut.cluster.internal.network.HttpEvents;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Streams all objects of a snapshot as JSON lines to one client. Confined to one thread. */
final class Export implements HttpEvents {
  /** The response header with the snapshot's token. */
  static final String TOKEN = "Stablecut-Token";

  private static final byte[] NOTHING = {};

  private final Pin snapshot;
  private final ExportLines lines;

  /**
   * An export.
   *
   * @param snapshot closed with the export
   */
  Export(Pin snapshot) {
    this.snapshot = snapshot;
    this.lines = new ExportLines(snapshot);
  }

  @Override
  public Map<String, String> headers() {
    return Map.of("Cache-Control", "no-store", TOKEN, snapshot.token().toText());
  }

  @Override
  public Optional<byte[]> farewell() {
    return Optional.empty();
  }

  @Override
  public String contentType() {
    return "application/x-ndjson";
  }

  @Override
  public byte[] heartbeat() {
    return NOTHING;
  }

  @Override
  public boolean isComplete() {
    return !lines.hasNext();
  }

  @Override
  public Optional<byte[]> next(Duration longest) {
    return Optional.of(lines.next());
  }

  @Override
  public void close() {
    lines.close();
    snapshot.close();
  }
}
