package io.github.stablecut.examples.bench.guard;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.examples.ChildJvm;
import io.github.stablecut.examples.bench.commit.CommitRound;
import io.github.stablecut.examples.bench.commit.CommitRunner;
import io.github.stablecut.examples.bench.commit.ProcessUse;
import io.github.stablecut.examples.bench.wire.WirePeer;
import io.github.stablecut.examples.bench.wire.WireTarget;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A process that answers requests ({@link GuardServer}); this process has its clients. The costs of
 * a round are those of the server. Confined to one thread.
 */
final class ServerProcess implements CommitRunner, AutoCloseable {
  private final Process process;
  private final BufferedReader out;
  private final BufferedWriter in;
  private final String name;
  private final int reads;
  private @Nullable WireTarget target;
  private @Nullable ProcessUse before;

  private ServerProcess(String name, Process process, int reads) {
    this.name = name;
    this.process = process;
    this.out = process.inputReader(UTF_8);
    this.in = process.outputWriter(UTF_8);
    this.reads = reads;
  }

  /**
   * Starts a process.
   *
   * @param reads the percentage of reads among the requests
   */
  static ServerProcess start(String name, List<String> command, int reads) throws IOException {
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    return new ServerProcess(name, process, reads);
  }

  /** Waits until it serves. */
  void await() throws IOException {
    int port = Integer.parseInt(lineAfter(GuardServer.PORT));
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    target = WireTarget.ofFrames(name, new WirePeer(process, address), GuardPeer.COUNTERS);
    before = use();
  }

  /** The rest of the next line that begins so; a server prints other lines, too. */
  private String lineAfter(String begin) throws IOException {
    String line = out.readLine();
    while (line != null && !line.startsWith(begin)) {
      line = out.readLine();
    }
    if (line == null) {
      throw new IOException("a server has exited: see its messages above");
    }
    return line.substring(begin.length());
  }

  /** Returns the resources that the process has used so far. */
  ProcessUse use() throws IOException {
    in.newLine();
    in.flush();
    return ProcessUse.ofLine(lineAfter(GuardServer.USE));
  }

  @Override
  public CommitRound run(int threads, int bodyBytes, long nanos)
      throws IOException, InterruptedException {
    CommitRound round;
    try (Requests requests = new Requests(Objects.requireNonNull(target), reads)) {
      round = CommitRound.run(requests, threads, bodyBytes, nanos);
    }
    ProcessUse after = use();
    CommitRound costly =
        round.withCosts(after.since(Objects.requireNonNull(before), round.commits()));
    before = after;
    return costly;
  }

  @Override
  public void close() {
    ChildJvm.end(process, in);
  }
}
