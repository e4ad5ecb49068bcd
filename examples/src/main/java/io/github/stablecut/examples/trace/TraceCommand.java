package io.github.stablecut.examples.trace;

import java.io.IOException;
import java.io.PrintWriter;
import java.lang.ref.Reference;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Replays an editing trace ({@link TraceReader}), every transaction of it as one transaction, and
 * compares the text with the one that the authors ended with. A trace of several authors is
 * replayed with a replica for each, which all have to end equal.
 *
 * <p>Exit code: 0 if all is as it should be, 1 if a text or a replica is not, 2 if the file is not
 * a trace. Live heap is what all documents hold, with their tombstones: what the garbage collector
 * finds less when they are let go. Encoded bytes are those of one document without tombstones, as a
 * checkpoint stores it when all replicas have all transactions.
 */
@Command(
    name = "trace",
    description = "Replays an editing trace and compares what comes out",
    mixinStandardHelpOptions = true)
public final class TraceCommand implements Callable<Integer> {
  private static final int NOT_A_TRACE = 2;

  @Parameters(paramLabel = "FILE", description = "the trace: JSON, may be compressed with gzip")
  private Path file = Path.of("");

  @Option(names = "--json", description = "print the outcome as JSON")
  private boolean json;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws IOException {
    Replay replay;
    try {
      replay = Replay.inMemory(TraceReader.read(file));
    } catch (TraceException e) {
      spec.commandLine().getErr().println(e.getMessage());
      return NOT_A_TRACE;
    } catch (NoSuchFileException e) {
      spec.commandLine().getErr().println("there is no file " + e.getMessage());
      return NOT_A_TRACE;
    }
    Optional<String> fault = replay.fault();
    int edits = replay.edits();
    double seconds = replay.seconds();
    long encodedBytes = replay.documents().get(0).encodedBytes();
    long usedBytes;
    try {
      usedBytes = LiveHeap.usedBytes();
    } finally {
      Reference.reachabilityFence(replay);
    }
    replay = null;
    long liveHeapBytes = usedBytes - LiveHeap.usedBytes();
    print(fault, edits, seconds, liveHeapBytes, encodedBytes);
    return fault.isEmpty() ? 0 : 1;
  }

  private void print(
      Optional<String> fault, int edits, double seconds, long liveHeapBytes, long encodedBytes) {
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.printf(
          Locale.ROOT,
          "{\"ok\":%b,\"edits\":%d,\"seconds\":%.3f,\"liveHeapBytes\":%d,\"encodedBytes\":%d}%n",
          fault.isEmpty(),
          edits,
          seconds,
          liveHeapBytes,
          encodedBytes);
    } else {
      out.printf(
          Locale.ROOT,
          "%s%n%,d edits in %.3f s, %,d bytes of live heap, %,d bytes encoded%n",
          fault.orElse("ok"),
          edits,
          seconds,
          liveHeapBytes,
          encodedBytes);
    }
    out.flush();
  }
}
