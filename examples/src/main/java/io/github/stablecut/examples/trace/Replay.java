package io.github.stablecut.examples.trace;

import io.github.stablecut.crdt.OperationRefusedException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The result of replaying a trace. Immutable.
 *
 * @param documents of the authors
 * @param edits the number of edits
 * @param seconds the duration, including a final read of the texts
 * @param fault the deviation from the expected text
 */
public record Replay(List<Document> documents, int edits, double seconds, Optional<String> fault) {
  private static final int SHOWN = 20;

  /** Copies the list. */
  public Replay {
    documents = List.copyOf(documents);
  }

  /** Replays a trace on replicas in memory, one per author. */
  static Replay inMemory(Trace trace) {
    if (trace.isSequential()) {
      return on(new Replica(0), trace);
    }
    long startNanos = System.nanoTime();
    List<Replica> replicas = ConcurrentReplay.replay(trace);
    Optional<String> fault = Optional.empty();
    for (Replica replica : replicas) {
      fault = fault.or(() -> difference(trace.endContent(), replica.text()));
    }
    double seconds = secondsSince(startNanos);
    for (Replica replica : replicas) {
      boolean equal = Arrays.equals(replica.encoded(), replicas.get(0).encoded());
      fault =
          equal ? fault : fault.or(() -> Optional.of("replicas encode the same text differently"));
    }
    return new Replay(List.copyOf(replicas), trace.edits(), seconds, fault);
  }

  /** Replays a trace of one author on a document. */
  public static Replay on(Document document, Trace trace) {
    long startNanos = System.nanoTime();
    for (int i = 0; i < trace.transactions().size(); i++) {
      try {
        document.edit(trace.transactions().get(i));
      } catch (OperationRefusedException e) {
        throw new TraceException("txns[" + i + "]: " + e.getMessage(), e);
      }
    }
    Optional<String> fault = difference(trace.endContent(), document.text());
    return new Replay(List.of(document), trace.edits(), secondsSince(startNanos), fault);
  }

  static double secondsSince(long startNanos) {
    return (System.nanoTime() - startNanos) / 1e9;
  }

  /** Describes the first difference between two texts; empty if they are equal. */
  static Optional<String> difference(String expected, String found) {
    if (expected.equals(found)) {
      return Optional.empty();
    }
    int length = Math.min(expected.length(), found.length());
    int at = 0;
    while (at < length && expected.charAt(at) == found.charAt(at)) {
      at++;
    }
    return Optional.of(
        "from character %d the text should be \"%s\" but is \"%s\""
            .formatted(at, beginning(expected, at), beginning(found, at)));
  }

  private static String beginning(String text, int from) {
    int to = Math.min(text.length(), from + SHOWN);
    return text.substring(from, to) + (to < text.length() ? "…" : "");
  }
}
