package io.github.stablecut.examples.bench.commit;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.examples.ChildJvm;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.util.List;

/**
 * A process that runs rounds of one system ({@link RoundServer}). It shares our standard error.
 * Confined to one thread.
 */
public final class PeerProcess implements AutoCloseable {
  private final String name;
  private final Process process;
  private final BufferedReader out;
  private final BufferedWriter in;

  private PeerProcess(String name, Process process) {
    this.name = name;
    this.process = process;
    this.out = process.inputReader(UTF_8);
    this.in = process.outputWriter(UTF_8);
  }

  /** Starts a process, which is ready after {@link #await}. */
  public static PeerProcess start(String name, List<String> command) throws IOException {
    return new PeerProcess(
        name, new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  /** Waits until it can run rounds. */
  public void await() throws IOException, InterruptedException {
    String line = line();
    while (!line.equals(RoundServer.READY)) {
      line = line();
    }
  }

  private String line() throws IOException, InterruptedException {
    String line = out.readLine();
    if (line == null) {
      throw new IOException(
          "the process of %s exited with code %d: see its messages above"
              .formatted(name, process.waitFor()));
    }
    return line;
  }

  /** A runner for one of the process's targets. */
  public CommitRunner target(String target) {
    return (threads, bodyBytes, nanos) -> {
      in.write(RoundServer.request(target, threads, bodyBytes, nanos));
      in.newLine();
      in.flush();
      return CommitRound.ofLine(line());
    };
  }

  /** Ends the process. */
  @Override
  public void close() {
    ChildJvm.end(process, in);
  }
}
