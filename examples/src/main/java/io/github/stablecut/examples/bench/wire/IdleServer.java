package io.github.stablecut.examples.bench.wire;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.cluster.Server;
import io.github.stablecut.cluster.SettingsLoader;
import io.github.stablecut.examples.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** A server in its own process, which reports its memory. Confined to one thread. */
public final class IdleServer implements AutoCloseable {
  private static final String HEAP = "1g";

  private final Process process;
  private final BufferedReader out;
  private final InetSocketAddress address;

  /**
   * The memory after a garbage collection.
   *
   * @param heapBytes of objects
   * @param processBytes the resident set as Linux counts it; 0 on other systems
   */
  public record Memory(long heapBytes, long processBytes) {}

  private IdleServer(Process process) throws IOException {
    this.process = process;
    this.out = process.inputReader(UTF_8);
    this.address =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), (int) Long.parseLong(line()));
  }

  /** Starts the server for a number of connections. */
  public static IdleServer start(Path data, int connections) throws IOException {
    return new IdleServer(
        ChildJvm.withHeap(HEAP, IdleServer.class, data.toString(), "" + connections)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start());
  }

  private String line() throws IOException {
    String line = out.readLine();
    if (line == null) {
      throw new IOException("the server's process exited: see its messages above");
    }
    return line;
  }

  public InetSocketAddress address() {
    return address;
  }

  public Memory memory() throws IOException {
    process.getOutputStream().write('\n');
    process.getOutputStream().flush();
    return new Memory(Long.parseLong(line()), Long.parseLong(line()));
  }

  /** Serves until the input ends; answers each line with the process's memory. */
  public static void main(String[] args) throws IOException {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    try (Server server =
        Server.start(
            SettingsLoader.load(
                Optional.empty(),
                Map.of(
                    "data",
                    args[0],
                    "port",
                    0,
                    "operations.enabled",
                    false,
                    "max-connections",
                    Integer.parseInt(args[1]))))) {
      System.out.println(server.address().getPort());
      while (in.readLine() != null) {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        System.out.println(runtime.totalMemory() - runtime.freeMemory());
        System.out.println(LoadedPages.bytes());
      }
    }
  }

  @Override
  public void close() {
    ChildJvm.end(process, process.getOutputStream());
  }
}
