package io.github.stablecut.examples.trace;

import io.github.stablecut.cluster.terminal.ProgressBar;
import io.github.stablecut.error.IoReason;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Replays an editing trace ({@link TraceReader}), one transaction for each of the trace, and
 * compares the text with the authors' final one. A trace of several authors is replayed with a
 * replica for each; all replicas must be equal in the end.
 *
 * <p>Live heap is the memory of all documents including tombstones: the difference after they are
 * released. Encoded bytes are those of one document without tombstones, as a checkpoint stores it
 * once all replicas have all transactions.
 */
@Command(
    name = "trace",
    description = "Replays an editing trace and checks the result.",
    footer = {
      "",
      "In memory a trace of several authors is replayed on a replica for each. A store is one"
          + " replica, so with --store it receives the transactions in the order of the trace, each as"
          + " one patch. The text is named after FILE; the same call resumes after a crash. Live heap is"
          + " then that of the open store, and encoded bytes are those of its checkpoint.",
      "",
      "Exit code 0 if the result is correct, 1 if a text differs or the store fails, 2 if FILE is not a"
          + " trace, or the store can't be used."
    })
public final class TraceCommand implements Callable<Integer> {
  private static final int NOT_A_TRACE = 2;

  @Parameters(paramLabel = "FILE", description = "the trace: JSON, optionally compressed with gzip")
  private Path file = Path.of("");

  @Option(names = "--json", description = "print the result as JSON")
  private boolean json;

  @Option(
      names = "--store",
      paramLabel = "DIR",
      description = "execute each transaction durably in the store in DIR")
  private @Nullable Path directory;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() {
    Trace trace;
    try {
      trace = TraceReader.read(file);
    } catch (TraceException e) {
      spec.commandLine().getErr().println(e.getMessage());
      return NOT_A_TRACE;
    } catch (IOException e) {
      spec.commandLine().getErr().println(file + " can't be read: " + IoReason.of(e));
      return NOT_A_TRACE;
    }
    Outcome outcome;
    try {
      outcome = replay(trace);
    } catch (TraceException e) {
      spec.commandLine().getErr().println(file + ": " + e.getMessage());
      return NOT_A_TRACE;
    }
    print(outcome);
    return outcome.fault().isEmpty() ? 0 : 1;
  }

  private Outcome replay(Trace trace) {
    if (directory == null) {
      return Outcome.inMemory(trace);
    }
    Trace stored = trace;
    if (!trace.isSequential()) {
      Outcome inMemory = Outcome.inMemory(trace);
      if (inMemory.fault().isPresent()) {
        return inMemory;
      }
      stored = trace.ofOneAuthor();
    }
    try (ProgressBar progress = ProgressBar.onStandardError("transactions")) {
      String name = Objects.requireNonNullElse(file.getFileName(), file).toString();
      return new StoredReplay(stored, name, directory).run(progress);
    }
  }

  private void print(Outcome outcome) {
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.printf(
          Locale.ROOT,
          "{\"ok\":%b,\"edits\":%d,\"seconds\":%.3f,\"liveHeapBytes\":%d,\"encodedBytes\":%d}%n",
          outcome.fault().isEmpty(),
          outcome.edits(),
          outcome.seconds(),
          outcome.liveHeapBytes(),
          outcome.encodedBytes());
      outcome.fault().ifPresent(spec.commandLine().getErr()::println);
    } else {
      out.printf(
          Locale.ROOT,
          "%s%n%,d edits in %.3f s, %,d bytes of live heap, %,d bytes encoded%n",
          outcome.fault().orElse("ok"),
          outcome.edits(),
          outcome.seconds(),
          outcome.liveHeapBytes(),
          outcome.encodedBytes());
    }
    out.flush();
  }
}
