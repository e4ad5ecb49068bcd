package io.github.stablecut.examples.bench.replica;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.examples.ChildJvm;
import io.github.stablecut.journal.JvmFlags;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.replication.Replication;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Another data centre in its own process, which only receives. Confined to one thread. */
public final class ReplicationPeer implements AutoCloseable {
  private static final String READY = "has joined";

  private final Process process;

  private ReplicationPeer(Process process) {
    this.process = process;
  }

  /**
   * Starts the process, and waits until it has joined.
   *
   * @param directory must not exist
   * @param address of a data centre
   */
  public static ReplicationPeer start(Path directory, String address) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(JvmFlags.all());
    command.addAll(List.of("-Xmx1g", "-Dstablecut.log=ERROR"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(ReplicationPeer.class.getName(), directory.toString(), address));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    ReplicationPeer peer = new ReplicationPeer(process);
    BufferedReader out = process.inputReader(UTF_8);
    for (String line = ""; !line.startsWith(READY); ) {
      String next = out.readLine();
      if (next == null) {
        peer.close();
        throw new IOException("the other data centre exited: see its messages above");
      }
      line = next;
    }
    return peer;
  }

  /** The process id. */
  public long pid() {
    return process.pid();
  }

  /** Runs the other data centre until its input ends. */
  public static void main(String[] args) throws IOException {
    Replication replication = Replication.tcp("127.0.0.1:0").join(args[1]);
    try (Store store =
        Stablecut.open(
            Path.of(args[0]),
            StoreOptions.defaults()
                .withCheckpoints(CheckpointPolicy.defaults().withRetention(Duration.ZERO))
                .withReplication(replication))) {
      System.out.println(READY + " as " + store.dataCentres().own());
      while (System.in.read() >= 0) {
        // Only the end of the input matters.
      }
    }
  }

  @Override
  public void close() {
    ChildJvm.end(process, process.getOutputStream());
  }
}
